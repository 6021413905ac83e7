// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_panel.h"

#include "app/pareto/pareto_view.h"
#include "tests/support/app/made_memory.h"
#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <QAbstractButton>
#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

namespace graphloom::test::pareto_panel_test {

/// With madeMemory(): points 0 to 2 are the front from the fastest on, 3 and 4 a baseline, 5 is
/// before and 6 the plan.
class ParetoPanelTest : public QObject {
    Q_OBJECT

private:
    ParetoView &view() { return m_panel->view(); }
    void click(std::size_t number)
    {
        QTest::mouseClick(view().viewport(), Qt::LeftButton, {}, *view().placeOf(number));
    }
    QAbstractButton &button(const char *name)
    {
        return *m_panel->findChild<QAbstractButton *>(QLatin1String(name));
    }
    /// The plan with other points in its front.
    SnapshotPointer withFront(const std::vector<MemoryPoint> &front)
    {
        Plan plan = *m_planned->plan;
        auto memory = std::make_shared<MemoryPlan>(*plan.memory);
        memory->front = front;
        plan.memory = std::move(memory);
        return snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_planned, {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_plain = test::snapshotOfSample("mobilenet_v2_224.onnx");
        QVERIFY(m_plain);
        m_planned = test::withMemory(m_plain);
    }

    void init()
    {
        m_panel = std::make_unique<ParetoPanel>();
        const auto theme = loadTheme(QStringLiteral("dark"));
        QVERIFY(theme);
        m_panel->setTheme(*theme);
        m_panel->resize(800, 400);
        m_panel->setSnapshot(m_planned);
        m_panel->show();
        QTest::qWait(0);
    }

    void hintsUntilThereIsAFront()
    {
        QVERIFY(!m_panel->isEmpty());
        m_panel->setSnapshot(m_plain);
        QVERIFY(m_panel->isEmpty());
        m_panel->setSnapshot(nullptr);
        QVERIFY(m_panel->isEmpty());
    }

    void lessMemoryIsLeftAndFasterIsLower()
    {
        QVERIFY(view().placeOf(2)->x() < view().placeOf(0)->x());
        QVERIFY(view().placeOf(0)->y() > view().placeOf(2)->y());
        for (std::size_t number = 0; number < 7; ++number)
            QVERIFY(view().placeOf(number));
    }

    void aClickChoosesAPlanOfTheFront()
    {
        QSignalSpy chosen(m_panel.get(), &ParetoPanel::pointChosen);
        QVERIFY(!m_panel->loadButton().isEnabled());
        click(2);
        QCOMPARE(chosen.size(), qsizetype(1));
        QCOMPARE(chosen[0][0].toInt(), 0); // of MemoryPlan::front
        QVERIFY(m_panel->loadButton().isEnabled());
        QCOMPARE(m_panel->table().currentIndex().siblingAtColumn(ParetoModel::Latency).data(),
                 QVariant(QStringLiteral("20")));
    }

    /// Without a front, too: one plan on several devices.
    void runsOnSeveralDevicesAreSeriesWithTheirSpread()
    {
        m_panel->setSnapshot(m_plain);
        PlanRun other = *madeRun(m_plain);
        other.outcome.device = "phone";
        other.outcome.after->isBracket = true;
        other.outcome.after->whole = {19, 20, 24, 0};
        const PlanRunPointer here = madeRun(m_plain),
                             there = std::make_shared<const PlanRun>(std::move(other));
        m_panel->setRuns({here});
        QVERIFY(m_panel->isEmpty());
        m_panel->setRuns({here, there});
        QVERIFY(!m_panel->isEmpty());
        const ParetoData &shown = *m_panel->model().data();
        QCOMPARE(shown.series.size(), std::size_t(2));
        QVERIFY(shown.series[0].name != shown.series[1].name);
        const std::size_t bracket = *shown.numberOfRun(there);
        QVERIFY(view().textOf(bracket).contains(QStringLiteral("between 19 and 24 ms")));
        QSignalSpy activated(m_panel.get(), &ParetoPanel::runActivated);
        click(bracket);
        QVERIFY(m_panel->loadButton().isEnabled());
        QTest::mouseClick(&m_panel->loadButton(), Qt::LeftButton);
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].value<PlanRunPointer>(), there);
    }

    void energyIsAnAxisForDevicesThatTellIt()
    {
        m_panel->setSnapshot(m_plain);
        PlanRun other = *madeRun(m_plain);
        other.outcome.device = "phone";
        const PlanRunPointer here = madeRun(m_plain);
        m_panel->setRuns({here, std::make_shared<const PlanRun>(other)});
        QVERIFY(button("energy").isHidden());
        other.outcome.after->joules = 0.25;
        other.outcome.after->energyOf = "battery";
        const auto told = std::make_shared<const PlanRun>(std::move(other));
        m_panel->setRuns({here, told});
        QTest::mouseClick(&button("energy"), Qt::LeftButton);
        const ParetoData &shown = *m_panel->model().data();
        QVERIFY(view().placeOf(*shown.numberOfRun(told)));
        QVERIFY(!view().placeOf(*shown.numberOfRun(here)));
        QVERIFY(view()
                    .textOf(*shown.numberOfRun(told))
                    .contains(QStringLiteral("250 mJ a run (battery)")));
        QTest::mouseClick(&button("absolute"), Qt::LeftButton);
        QVERIFY(view().placeOf(*shown.numberOfRun(here)));
    }

    void aBaselineCannotBeLoaded()
    {
        QSignalSpy chosen(m_panel.get(), &ParetoPanel::pointChosen);
        click(3);
        QVERIFY(chosen.isEmpty());
        QCOMPARE(view().marked(), std::optional<std::size_t>(3));
        QVERIFY(!m_panel->loadButton().isEnabled());
    }

    void theButtonLoadsWhatIsMarked()
    {
        QSignalSpy activated(m_panel.get(), &ParetoPanel::pointActivated);
        click(0);
        QTest::mouseClick(&m_panel->loadButton(), Qt::LeftButton);
        QCOMPARE(activated.size(), qsizetype(1));
        QCOMPARE(activated[0][0].toInt(), 2);
    }

    void keysWalkAlongTheFront()
    {
        QSignalSpy chosen(m_panel.get(), &ParetoPanel::pointChosen);
        QSignalSpy activated(m_panel.get(), &ParetoPanel::pointActivated);
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Left, Qt::Key_Left, Qt::Key_Left,
                                  Qt::Key_Right, Qt::Key_Return})
            QTest::keyClick(&view(), key);
        QList<int> walked;
        for (const auto &arguments : chosen)
            walked << arguments[0].toInt();
        QCOMPARE(walked, (QList<int>{2, 1, 0, 1})); // at the end it stays
        QCOMPARE(activated[0][0].toInt(), 1);
        QTest::keyClick(&view(), Qt::Key_Down);
        QCOMPARE(view().marked(), std::optional<std::size_t>(3));
        QTest::keyClick(&view(), Qt::Key_Up);
        QCOMPARE(view().marked(), std::optional<std::size_t>(0));
    }

    void pointsAreTold()
    {
        const QString text = view().textOf(2);
        for (const char *part : {"front", "20 ms (modelled)", "peak of 200 B",
                                 "latency × 2.000, memory × 0.500", "by search"})
            QVERIFY2(text.contains(QString::fromUtf8(part)), qPrintable(text));
    }

    void ratiosLeaveOutWhatHasNone()
    {
        const auto fused = test::fused(m_plain);
        m_panel->setRuns({test::madeRun(fused)});
        QCOMPARE(m_panel->model().rowCount(), 8);
        QVERIFY(view().placeOf(7));
        QTest::mouseClick(&button("ratios"), Qt::LeftButton);
        QVERIFY(view().showsRatios());
        QVERIFY(!view().placeOf(7));
        QVERIFY(view().placeOf(0));
    }

    void measuredSeriesAreMarkedAsSuch()
    {
        const auto names = [&] {
            QStringList all;
            for (const QLegendMarker *marker : view().chart()->legend()->markers())
                all << marker->label();
            return all.join('|');
        };
        QVERIFY(!names().contains(QStringLiteral("(modelled)"))); // the axis says it of all
        m_panel->setRuns({test::madeRun(test::fused(m_plain))});
        QVERIFY2(names().contains(QStringLiteral("front (modelled)")), qPrintable(names()));
        QVERIFY2(names().contains(QStringLiteral("measured on host (host)")), qPrintable(names()));
    }

    /// A baseline on both graphs has one entry.
    void twinsShareALegendEntry()
    {
        Plan plan = *m_planned->plan;
        auto memory = std::make_shared<MemoryPlan>(*plan.memory);
        QCOMPARE(memory->baselines.size(), std::size_t(1));
        memory->baselines.push_back(memory->baselines.front());
        memory->baselines.back().rewritten = true;
        const QString name = QString::fromStdString(memory->baselines.front().name);
        plan.memory = std::move(memory);
        m_panel->setSnapshot(
            snapshotOf(std::make_shared<const Plan>(std::move(plan)), m_planned, {}));
        QStringList shown;
        const auto count = [&] {
            shown.clear();
            for (const QLegendMarker *marker : view().chart()->legend()->markers())
                if (marker->isVisible())
                    shown << marker->label();
            return shown.count(name);
        };
        QTRY_COMPARE(count(), 1); // once it is laid out
        QVERIFY2(shown.filter(QStringLiteral("rewritten")).isEmpty(), qPrintable(shown.join('|')));
    }

    void whatIsMuchSlowerIsLeftOutAtFirst()
    {
        m_panel->setSnapshot(withFront({{500, 100, "search"}, {12, 300, "search"}}));
        QVERIFY(!view().placeOf(1));
        QCOMPARE(view().beyond(), std::size_t(1));
        QTest::mouseClick(&button("wholeFront"), Qt::LeftButton);
        QVERIFY(view().placeOf(1));
    }

    void walkingThereShowsIt()
    {
        m_panel->setSnapshot(withFront({{500, 100, "search"}, {12, 300, "search"}}));
        for (const Qt::Key key : {Qt::Key_Right, Qt::Key_Left})
            QTest::keyClick(&view(), key);
        QVERIFY(button("wholeFront").isChecked());
        QVERIFY(view().placeOf(1));
    }

    void axesStayWhileTheFrontGrows()
    {
        view().grab(); // lays the axes out
        const QPoint before = *view().placeOf(5);
        m_panel->setSnapshot(
            withFront({{20, 200, "search"}, {14, 250, "search"}, {12, 300, "search"}}));
        QCOMPARE(*view().placeOf(5), before);
        m_panel->setSnapshot(withFront({{12, 300, "search"}}));
        QCOMPARE(m_panel->model().rowCount(), 5);
    }

    void aMarkedPlanStaysMarked()
    {
        click(2);
        m_panel->setSnapshot(withFront({{20, 200, "search"}, {18, 220, "search"}}));
        QCOMPARE(view().marked(), std::optional<std::size_t>(1));
        QVERIFY(m_panel->loadButton().isEnabled());
    }

    void limitsAreLines()
    {
        const QImage before = view().grab().toImage();
        const MemoryPoint &unoptimized = m_planned->plan->memory->before;
        m_panel->setObjective({Objective::Mode::Memory, std::uint64_t(280), 15 / unoptimized.ms});
        const QImage limited = view().grab().toImage();
        QVERIFY(limited != before);
        // The same limit of memory as a share.
        m_panel->setObjective(
            {Objective::Mode::Memory, 280.5 / double(unoptimized.peakBytes), 15 / unoptimized.ms});
        QCOMPARE(view().grab().toImage(), limited);
        m_panel->setObjective({});
        QCOMPARE(view().grab().toImage(), before);
    }

    void otherPlansAreSeriesOfTheirOwn()
    {
        m_panel->setOthers({{QStringLiteral("run 2"), m_planned->plan}});
        QCOMPARE(m_panel->model().rowCount(), 14);
        QSignalSpy chosen(m_panel.get(), &ParetoPanel::pointChosen);
        view().setFocus();
        QVERIFY(m_panel->model().data()->point(8).front < 0);
    }

private:
    SnapshotPointer m_plain, m_planned;
    std::unique_ptr<ParetoPanel> m_panel;
};

GRAPHLOOM_WINDOW_TESTS(ParetoPanelTest)

} // namespace graphloom::test::pareto_panel_test

#include "pareto_panel_test.moc"
