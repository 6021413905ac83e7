// SPDX-License-Identifier: GPL-3.0-or-later
// What the window shows of memory.
#include "app/graph/canvas_page.h"
#include "app/memory/memory_panel.h"
#include "app/nodes/node_list_panel.h"
#include "app/pareto/pareto_panel.h"
#include "app/properties/properties.h"
#include "app/properties/properties_panel.h"
#include "app/runs/pass_panel.h"
#include "app/shell/panel_docks.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/window_driver.h"

#include <QDockWidget>
#include <QTableView>

namespace graphloom::test::main_window_memory_test {

using test::sample;
using test::WindowDriver;

class MainWindowMemoryTest : public QObject {
    Q_OBJECT

private:
    MainWindow &window() { return m_driver->window(); }
    void start(test::ScriptedPass::Body body)
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>{
            {{}, std::make_shared<test::ScriptedPass>(std::move(body)), {}}});
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QVERIFY(window().view<PassPanel>().choose("scripted"));
    }
    static Result<Plan> planMemory(Plan plan, const Context &)
    {
        plan.memory = test::madeMemory(plan.graph);
        return plan;
    }

private Q_SLOTS:
    void cleanup() { m_driver.reset(); }

    void anOpenedModelHasItsTimeline()
    {
        start(planMemory);
        QVERIFY(!window().view<MemoryPanel>().isEmpty());
        QVERIFY(!window().view<MemoryPanel>().view().timeline()->timed);
        QVERIFY(window().view<ParetoPanel>().isEmpty());
        window().bench().documents.close();
        QVERIFY(m_driver->settle());
        QVERIFY(window().view<MemoryPanel>().isEmpty());
    }

    void aPassThatPlansMemoryBringsItUp()
    {
        start(planMemory);
        window().bench().passes.run();
        QVERIFY(m_driver->settle());
        QVERIFY(window().view<MemoryPanel>().isVisible());
        QCOMPARE(window().view<MemoryPanel>().view().timeline()->stepCount(), 5U);
        QVERIFY(window().view<MemoryPanel>().view().scene().compared);
        QVERIFY(!window().view<ParetoPanel>().isEmpty());
        window().session().undoStack().undo();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().view<MemoryPanel>().view().timeline()->timed);
        QVERIFY(window().view<ParetoPanel>().isEmpty());
    }

    void previewsAreShown()
    {
        start([](Plan plan, const Context &context) -> Result<Plan> {
            Plan preview = plan;
            preview.memory = test::madeMemory(plan.graph);
            const auto shared = std::make_shared<const Plan>(std::move(preview));
            while (!context.stop.stop_requested()) {
                context.publish(shared);
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
            return plan;
        });
        window().bench().passes.run();
        QTRY_VERIFY(!window().view<ParetoPanel>().isEmpty());
        QTRY_VERIFY(window().view<MemoryPanel>().view().timeline()->timed);
        window().session().cancel();
        QVERIFY(m_driver->settle());
        QVERIFY(!window().view<MemoryPanel>().view().timeline()->timed);
        QVERIFY(window().view<ParetoPanel>().isEmpty());
    }

    void aTensorIsSelectedInAllViews()
    {
        start(planMemory);
        const SnapshotPointer &snapshot = window().session().snapshot();
        const NodeId node = snapshot->graph().order()[4];
        const Item tensor = Item::tensor(snapshot->graph().node(node).outputs[0]);
        window().selection().select(tensor);
        QVERIFY(m_driver->settle());
        QCOMPARE(window().view<NodeListPanel>().table().currentIndex().data().toString(),
                 QStringLiteral("4"));
        const auto rect = window().page().canvas().drawing()->rectOf(tensor);
        QCOMPARE(rect, window().page().canvas().drawing()->rectOf(Item::of(node)));
        QVERIFY(
            window().page().canvas().accessibleDescription().startsWith(QStringLiteral("Tensor ")));
        const auto sections = propertiesOf(*snapshot, tensor);
        QCOMPARE(sections.size(), std::size_t(2));
        QCOMPARE(sections[0].title, QStringLiteral("Tensor"));
        QVERIFY(!window().view<PropertiesPanel>().isEmpty());
        QVERIFY(!window().view<MemoryPanel>().view().scene().marked.empty());
    }

    void enterInTheTimelineGoesToTheNode()
    {
        start(planMemory);
        GraphCanvas &canvas = window().page().canvas();
        window().panels().dock(QStringLiteral("memory")).raise();
        window().view<MemoryPanel>().view().setCursorStep(100);
        QTest::keyClick(&window().view<MemoryPanel>().view(), Qt::Key_Up);
        QTest::keyClick(&window().view<MemoryPanel>().view(), Qt::Key_Return);
        QVERIFY(m_driver->settle());
        const auto rect = canvas.drawing()->rectOf(window().selection().item());
        QVERIFY(rect && canvas.visibleScene().contains(rect->center()));
    }

    void themesReachThePanels()
    {
        start(planMemory);
        window().panels().dock(QStringLiteral("memory")).raise();
        const QImage dark = window().view<MemoryPanel>().view().grab().toImage();
        window().setTheme(ThemeChoice::Light);
        QVERIFY(window().view<MemoryPanel>().view().grab().toImage() != dark);
    }

private:
    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(MainWindowMemoryTest)

} // namespace graphloom::test::main_window_memory_test

#include "main_window_memory_test.moc"
