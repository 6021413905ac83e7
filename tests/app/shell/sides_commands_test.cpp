// SPDX-License-Identifier: GPL-3.0-or-later
// Commands and sessions with another plan beside the current one.
#include "app/graph/canvas_page.h"
#include "app/graph/canvas_pane.h"
#include "app/sides/sides_view.h"
#include "tests/support/app/window_driver.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QSignalSpy>

namespace graphloom::test::sides_commands_test {

using test::WindowDriver;

class SidesCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>();
        QVERIFY(m_driver->open(test::sample("bert_tiny.onnx")));
        // Many of its nodes have no counterpart.
        bench().comparison.compareWithFile(test::sample("mobilenet_v2_224.onnx"));
        QVERIFY(m_driver->settle());
        window().actions().sideBySide->trigger();
        QVERIFY(m_driver->settle() && bench().sides.counterparts());
    }
    void cleanup() { m_driver.reset(); }

    void aSelectionWithoutCounterpartCanBeZoomedTo()
    {
        selectLost();
        QVERIFY(window().actions().zoomSelection->isEnabled());
        other().fit();
        const double was = other().scale();
        window().page().canvas().setFocus();
        window().actions().zoomSelection->trigger();
        QVERIFY(other().scale() > was);
    }

    void aSelectionWithoutCounterpartCanBeCleared()
    {
        selectLost();
        QVERIFY(window().actions().clearSelection->isEnabled());
        window().actions().clearSelection->trigger();
        QVERIFY(!bench().sides.selection(Side::Before).item());
    }

    void aGroupOfTheSideWithTheFocusIsCollapsed()
    {
        window().actions().groupModules->trigger();
        QVERIFY(m_driver->settle());
        window().actions().expandAll->trigger();
        QVERIFY(m_driver->settle());
        const DrawingPointer drawing = other().drawing();
        QVERIFY(!drawing->graph.groups.empty());
        const Item group = drawing->graph.groups.front().item;
        bench().sides.selection(Side::Before).select(group);
        other().setFocus();
        window().actions().toggleGroup->trigger();
        QVERIFY(m_driver->settle());
        QVERIFY(other().drawing()->options.collapsed.contains(group));
    }

    void aStripGrowsWithItsFont()
    {
        CanvasPane &pane = view().pane(Side::Before);
        const int was = other().geometry().top();
        QFont font = pane.font();
        font.setPointSizeF(2 * font.pointSizeF());
        pane.setFont(font);
        QTRY_VERIFY(other().geometry().top() > was);
    }

    void aSessionWithoutTheOtherPlanSaysSo()
    {
        auto saved = bench().documents.viewState();
        QJsonObject state =
            QJsonDocument::fromJson(QByteArray::fromStdString(saved.at("view"))).object();
        QJsonObject sides = state["sides"].toObject();
        sides["with"] = int(ComparisonController::Source::Kind::Run);
        sides["run"] = 99;
        state["sides"] = sides;
        saved["view"] = QJsonDocument(state).toJson().toStdString();
        const auto file = m_driver->scratch("sides.gloom");
        QSignalSpy written(&window().session(), &Session::saved);
        window().session().save(file, saved, {});
        QVERIFY(written.wait(test::patience));
        m_driver->restart();
        QVERIFY(m_driver->open(file));
        QVERIFY(!bench().sides.isShown());
        bool isTold = false;
        for (int row = 0; row < window().session().messages().rowCount(); ++row)
            isTold = isTold || m_driver->message(row).startsWith(
                                   QStringLiteral("The plan shown side by side"));
        QVERIFY(isTold);
    }

private:
    MainWindow &window() { return m_driver->window(); }
    Workbench &bench() { return window().bench(); }
    SidesView &view() { return *window().findChild<SidesView *>(); }
    GraphCanvas &other() { return view().canvas(Side::Before); }
    /// Selects a node of the other plan that has no counterpart.
    void selectLost()
    {
        const Counterparts &counterparts = *bench().sides.counterparts();
        for (const NodeDifference &node : counterparts.comparison.graphs.nodes)
            if (node.before.valid() &&
                counterparts.of(Side::Before, Item::of(node.before)).empty()) {
                bench().sides.selection(Side::Before).select(Item::of(node.before));
                break;
            }
        QVERIFY(bench().sides.selection(Side::Before).item());
        QVERIFY(!window().selection().item());
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(SidesCommandsTest)

} // namespace graphloom::test::sides_commands_test

#include "sides_commands_test.moc"
