// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/panels/panel.h"
#include "tests/examples/example.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::panels {
PanelPointer count(Workbench &bench); // as its line of panels.def would
} // namespace graphloom::panels

// [example]
#include "app/panels/panel.h"
#include "app/workbench/workbench.h"

#include <QLabel>

namespace graphloom {

namespace {

/// How many nodes the graph has that is shown.
class CountDock final : public Panel {
    Q_DECLARE_TR_FUNCTIONS(CountDock)

public:
    explicit CountDock(Workbench &bench)
        : Panel({.key = QStringLiteral("count"), .title = tr("Count"), .spot = Spot::Right},
                new QLabel),
          m_bench(bench), m_label(static_cast<QLabel &>(widget()))
    {
        // What else it follows: the selection, the controllers of the workbench…
        connect(&bench.selection, &Selection::changed, this, &CountDock::refresh);
    }

    void setSnapshot(const SnapshotPointer &shown) override
    {
        m_nodes = shown ? shown->graph().nodeCount() : 0;
        refresh();
    }

private:
    void refresh()
    {
        m_label.setText(tr("%1 of %2 selected").arg(m_bench.selection.items().size()).arg(m_nodes));
    }

    Workbench &m_bench;
    QLabel &m_label;
    std::size_t m_nodes = 0;
};

} // namespace

PanelPointer panels::count(Workbench &bench)
{
    return std::make_unique<CountDock>(bench);
}

} // namespace graphloom
// [/example]

namespace graphloom::test::example_test {

class ExamplePanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itFollowsTheWorkbench()
    {
        WindowDriver driver;
        const PanelPointer panel = panels::count(driver->bench());
        const std::unique_ptr<QWidget> widget(&panel->widget());
        QVERIFY(driver.open(sample("bert_tiny.onnx")));
        panel->setSnapshot(driver->bench().navigator.shown());
        const std::size_t nodes = driver->session().snapshot()->graph().nodeCount();
        driver->selection().select(Item::of(driver->session().snapshot()->graph().order().front()));
        QCOMPARE(static_cast<QLabel &>(*widget).text(),
                 QStringLiteral("1 of %1 selected").arg(nodes));
    }

    void contributingShowsIt() { QVERIFY(isInContributing(__FILE__)); }
};

GRAPHLOOM_WINDOW_TESTS(ExamplePanelTest)

} // namespace graphloom::test::example_test

#include "example_test.moc"
