// SPDX-License-Identifier: GPL-3.0-or-later
// The undo stack as a list, in a window.
#include "app/history/history_panel.h"

#include "app/runs/pass_form.h"
#include "app/runs/pass_panel.h"
#include "app/widgets/filtered_table.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/window_driver.h"

#include <QSignalSpy>
#include <QTableView>

namespace graphloom::test::history_panel_test {

using test::sample;
using test::WindowDriver;

class HistoryPanelTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_driver = std::make_unique<WindowDriver>(std::vector<PassPlugin>{
            {{},
             std::make_shared<test::ScriptedPass>([](Plan plan, const Context &) {
                 plan.memory = test::madeMemory(plan.graph);
                 return Result<Plan>(std::move(plan));
             }),
             {}}});
        QVERIFY(m_driver->open(sample("bert_tiny.onnx")));
        QVERIFY(window().view<PassPanel>().choose("scripted"));
        window().actions().history->trigger();
    }
    void cleanup() { m_driver.reset(); }

    void theCommandShowsIt()
    {
        QVERIFY(panel().isVisible());
        QVERIFY(!panel().isEmpty());
    }

    void theFirstStateIsThatOfTheFile()
    {
        QCOMPARE(panel().model().rowCount(), 1);
        QCOMPARE(panel().model().at(0).step, QStringLiteral("Opened"));
        QCOMPARE(panel().model().at(0).nodes, window().session().snapshot()->graph().nodeCount());
    }

    void everyChangeIsARow()
    {
        QVERIFY(run(3));
        QCOMPARE(panel().model().rowCount(), 4);
        const HistoryRow &last = panel().model().at(3);
        QCOMPARE(last.step, QStringLiteral("scripted"));
        const MemoryPlan &memory = *window().session().snapshot()->plan->memory;
        QCOMPARE(last.peakBytes.value_or(0), double(memory.after.peakBytes));
        QCOMPARE(last.milliseconds.value_or(0), memory.after.ms);
        QVERIFY(last.provenance.startsWith(QStringLiteral("modelled")));
        QVERIFY(!panel().model().at(0).peakBytes);
    }

    void whatWasMeasuredOfALatencyIsSaid()
    {
        QVERIFY(run(1));
        Plan plan = *window().session().snapshot()->plan;
        MemoryPlan memory = *plan.memory;
        memory.times.measured = 1;
        memory.times.share = 0.4;
        plan.memory = std::make_shared<const MemoryPlan>(std::move(memory));
        const Session::State state{
            snapshotOf(std::make_shared<const Plan>(std::move(plan)), nullptr, {}), {}};
        const auto rows = historyRowsOf({state}, [](const Plan &) { return PlanRunPointer(); });
        QVERIFY2(rows.front().provenance.contains(QStringLiteral("40 %")),
                 qPrintable(rows.front().provenance));
    }

    void theStateThatIsShownIsMarked()
    {
        QVERIFY(run(2));
        window().actions().undo->trigger();
        QCOMPARE(panel().model().current(), 1);
        QCOMPARE(panel().model().index(1, 0).data().toString(), QStringLiteral("▸ 1"));
        QCOMPARE(panel().list().currentRow(), 1);
        QVERIFY(panel().model().index(1, 1).data(Qt::FontRole).value<QFont>().bold());
    }

    void aClickGoesThere()
    {
        QVERIFY(run(3));
        const SnapshotPointer first = window().session().states().front().snapshot;
        QSignalSpy shown(&window().session(), &Session::snapshotChanged);
        click(0);
        QCOMPARE(window().session().snapshot(), first);
        QCOMPARE(window().session().undoStack().index(), 0);
        QCOMPARE(shown.size(), 1); // no state between
        QVERIFY(window().actions().redo->isEnabled());
        QCOMPARE(panel().model().current(), 0);
    }

    void enterGoesThereToo()
    {
        QVERIFY(run(2));
        QTableView &table = panel().list().table();
        table.setFocus();
        QTest::keyClick(&table, Qt::Key_Up);
        QCOMPARE(window().session().undoStack().index(), 2); // only chosen
        QTest::keyClick(&table, Qt::Key_Return);
        QCOMPARE(window().session().undoStack().index(), 1);
    }

    void undoAndRedoGoOnFromThere()
    {
        QVERIFY(run(3));
        click(1);
        window().actions().redo->trigger();
        QCOMPARE(window().session().undoStack().index(), 2);
        QCOMPARE(window().session().snapshot(), window().session().states()[2].snapshot);
    }

    void anotherModelHasAHistoryOfItsOwn()
    {
        QVERIFY(run(2));
        QVERIFY(m_driver->open(sample("mobilenet_v2_224.onnx")));
        QCOMPARE(panel().model().rowCount(), 1);
        window().actions().close->trigger();
        QVERIFY(panel().isEmpty());
    }

private:
    MainWindow &window() { return m_driver->window(); }
    HistoryPanel &panel() { return window().view<HistoryPanel>(); }
    bool run(int times)
    {
        for (int i = 0; i < times; ++i) {
            window().bench().passes.run();
            if (!m_driver->settle())
                return false;
        }
        return window().session().undoStack().count() == times;
    }
    void click(int row)
    {
        QTableView &table = panel().list().table();
        const QModelIndex index = panel().list().filter().index(row, 1);
        table.scrollTo(index);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(index).center());
    }

    std::unique_ptr<WindowDriver> m_driver;
};

GRAPHLOOM_WINDOW_TESTS(HistoryPanelTest)

} // namespace graphloom::test::history_panel_test

#include "history_panel_test.moc"
