// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_panel.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::lane_panel_test {

/// Of madeTracedRun() of MobileNetV2 in blocks of three nodes: step b + 1 of the plan is block b,
/// the step n of the original is its node n.
class LanePanelTest : public QObject {
    Q_OBJECT

private:
    QString shown(int row, LaneStepModel::Column column)
    {
        return m_panel->table().model()->index(row, column).data().toString();
    }
    const Lanes::Run &before() const { return m_lanes->runs.front(); }
    const Lanes::Run &plan() const { return m_lanes->runs.back(); }
    void choose(std::uint32_t slice) { Q_EMIT m_panel->view().chosen(int(slice)); }

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
        m_lanes = lanesOf(test::madeTracedRun(m_fused), {});
    }

    void init()
    {
        m_selection.clear();
        m_panel = std::make_unique<LanePanel>(m_selection, &m_runBeside);
        const auto theme = loadTheme(QStringLiteral("light"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(1200, 320);
        m_panel->show();
        m_panel->setLanes(m_lanes, m_fused, false);
    }

    void hintsUntilThereAreLanes()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setLanes(nullptr, nullptr, false);
        QVERIFY(m_panel->isEmpty());
        QVERIFY(!m_panel->picture());
    }

    void theModelKeepsTheRulesOfModels()
    {
        LaneStepModel model;
        const QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setLanes(m_lanes, true);
        model.setLanes(nullptr, false);
    }

    void theLineComparesBothRuns()
    {
        const QString text = m_panel->summary();
        for (const char *part :
             {"2.00 × speedup over the unfused original", "20 ms, now <b>10 ms</b> (host)",
              "median of 50 runs", "one traced run of each"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
        QVERIFY(!text.contains(QStringLiteral("another plan")));
    }

    void whatIsStaleSaysSo()
    {
        m_panel->setLanes(m_lanes, nullptr, true);
        QVERIFY(m_panel->summary().contains(QStringLiteral("another plan")));
        choose(plan().steps[3].slice);
        QVERIFY(!m_selection.item()); // its items are not those that are shown
    }

    void aSliceWithoutItemsLeavesTheSelection()
    {
        m_selection.select(Item::block(2));
        m_panel->setLanes(m_lanes, nullptr, true);
        choose(plan().steps[4].slice);
        QCOMPARE(m_selection.item(), Item::block(2));
    }

    void theTableHasTheStepsInTheOrderOfTime()
    {
        QCOMPARE(m_panel->table().model()->rowCount(), int(plan().steps.size()));
        QCOMPARE(shown(2, LaneStepModel::Start), QStringLiteral("2"));
        QCOMPARE(shown(2, LaneStepModel::Time), QStringLiteral("0.8000"));
        QCOMPARE(shown(2, LaneStepModel::Median), QStringLiteral("2"));
        QCOMPARE(shown(2, LaneStepModel::Before), QStringLiteral("6"));
        QCOMPARE(shown(2, LaneStepModel::Now), QStringLiteral("2"));
        QCOMPARE(shown(2, LaneStepModel::Ratio), QStringLiteral("3.00 ×"));
        QCOMPARE(shown(2, LaneStepModel::Gflops), QStringLiteral("2.500"));
        QCOMPARE(shown(2, LaneStepModel::Threads), QStringLiteral("2"));
        QCOMPARE(shown(2, LaneStepModel::Idle), QStringLiteral("25.0 %"));
        QCOMPARE(shown(1, LaneStepModel::Interpreted), QStringLiteral("for a test"));
    }

    void aRunAloneHasNoColumnsOfComparison()
    {
        PlanRun run = *m_lanes->of;
        run.stepMs = 0;
        run.outcome.traceBefore.clear();
        run.outcome.before.reset();
        run.outcome.stepsBefore.clear();
        m_panel->setLanes(lanesOf(planRunOf(std::move(run)), {}), m_fused, false);
        for (const auto column : {LaneStepModel::Before, LaneStepModel::Now, LaneStepModel::Ratio})
            QVERIFY(m_panel->table().isColumnHidden(column));
        QVERIFY(!m_panel->button(QStringLiteral("laneBefore"))->isEnabled());
        QVERIFY(!m_panel->summary().contains(QStringLiteral("of each")));
    }

    void aSliceSelectsItsBlock()
    {
        choose(plan().steps[4].slice);
        QCOMPARE(m_selection.item(), Item::block(3));
        QCOMPARE(m_panel->list().currentRow(), 4);
    }

    void aSliceOfTheOriginalSelectsTheBlockOfItsNode()
    {
        choose(before().steps[7].slice); // of nodes 6 to 8
        QCOMPARE(m_selection.items(), std::vector{Item::block(2)});
        QCOMPARE(m_panel->list().currentRow(), 3);
    }

    void theSelectionMarksItsStepsInBothRuns()
    {
        m_selection.select(Item::block(2));
        const auto &selected = m_panel->view().marks().selected;
        QCOMPARE(selected.size(), std::size_t(2));
        QCOMPARE(std::ranges::count(selected[0], true), 3);
        QVERIFY(selected[0][6] && selected[0][7] && selected[0][8]);
        QCOMPARE(std::ranges::count(selected[1], true), 1);
        QVERIFY(selected[1][3]);
        QCOMPARE(m_panel->view().marks().current, std::optional(plan().steps[3].slice));
        m_selection.clear();
        QVERIFY(m_panel->view().marks().selected.empty());
    }

    void theChosenSliceStaysCurrentWhenItsBlockIsSelected()
    {
        m_panel->view().setCurrent(before().steps[8].slice);
        choose(before().steps[8].slice);
        QCOMPARE(m_panel->view().marks().current, std::optional(before().steps[8].slice));
    }

    void aRowShowsItsSlice()
    {
        m_panel->activateWindow();
        m_panel->table().setFocus();
        QVERIFY(QTest::qWaitForWindowActive(m_panel.get()));
        m_panel->view().showRange(0, 1e-3);
        m_panel->table().selectRow(9);
        QCOMPARE(m_selection.item(), Item::block(8));
        QCOMPARE(m_panel->view().marks().current, std::optional(plan().steps[9].slice));
        QVERIFY(m_panel->view().scene().to > 9e-3); // it was scrolled to
    }

    void aDoubleClickLeadsToTheBlock()
    {
        QSignalSpy activated(m_panel.get(), &LanePanel::activated);
        Q_EMIT m_panel->view().activated(int(plan().steps[4].slice));
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].value<Item>(), Item::block(3));
    }

    void buttonsChangeTheView()
    {
        m_panel->button(QStringLiteral("laneMappings"))->click();
        QCOMPARE(m_panel->colours(), LaneColours::Mappings);
        m_panel->setColours(LaneColours::Classes);
        QVERIFY(m_panel->button(QStringLiteral("laneClasses"))->isChecked());
        QAbstractButton *original = m_panel->button(QStringLiteral("laneBefore"));
        QCOMPARE(original->text(), QStringLiteral("Original"));
        original->click();
        QVERIFY(!m_panel->view().scene().before);
        m_panel->view().showRange(0, 1e-3);
        m_panel->button(QStringLiteral("fitLanes"))->click();
        QCOMPARE(m_panel->view().scene().to, plan().seconds);
    }

    void thePictureSaysWhatItShows()
    {
        const auto picture = m_panel->picture();
        QVERIFY(picture);
        QVERIFY(picture->notes.front().startsWith(QString::fromUtf8("2.00 × speedup")));
        QVERIFY(!picture->notes.front().contains('<'));
    }

private:
    SnapshotPointer m_fused;
    LanesPointer m_lanes;
    Selection m_selection;
    QAction m_runBeside;
    std::unique_ptr<LanePanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(LanePanelTest)

} // namespace graphloom::test::lane_panel_test

#include "lane_panel_test.moc"
