// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lanes.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <algorithm>

namespace graphloom::test::lanes_test {

/// Of madeTracedRun() of MobileNetV2 in blocks of three nodes.
class LanesTest : public QObject {
    Q_OBJECT

private:
    const Lanes::Run &before() const { return m_lanes->runs.front(); }
    const Lanes::Run &plan() const { return m_lanes->runs.back(); }
    const Lanes::Lane &lane(const Lanes::Run &run, unsigned thread) const
    {
        return m_lanes->lanes[run.firstLane + thread];
    }
    /// Returns the lanes of the run with other traces.
    LanesPointer traced(std::vector<TraceSlice> slices) const
    {
        PlanRun run = *m_run;
        run.stepMs = 0; // planRunOf() adds them up
        run.outcome.trace = std::move(slices);
        run.outcome.traceBefore.clear();
        return lanesOf(planRunOf(std::move(run)), {});
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
        m_run = test::madeTracedRun(m_fused);
        m_lanes = lanesOf(m_run, {});
        QVERIFY(m_lanes);
    }

    void aRunWithoutTraceHasNoLanes() { QVERIFY(!lanesOf(test::madeRun(m_fused), {})); }

    void whatIsStoppedHasNoLanes()
    {
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!lanesOf(m_run, stop.get_token()));
    }

    void theOriginalComesFirst()
    {
        QCOMPARE(m_lanes->runs.size(), std::size_t(2));
        QCOMPARE(before().kind, Lanes::Run::Kind::Original);
        QCOMPARE(before().steps.size(), m_fused->plan->original.nodeCount());
        QCOMPARE(plan().kind, Lanes::Run::Kind::Plan);
        QCOMPARE(plan().steps.size(), m_run->steps().size());
        QCOMPARE(m_lanes->seconds, before().seconds);
    }

    void aPlanThatWasComparedWithItsSchedulesBeforeSaysSo()
    {
        PlanRun run = *m_run;
        run.stepMs = 0;
        run.outcome.besideOriginal = false;
        run.outcome.stepsBefore = run.outcome.steps;
        run.outcome.before->steps = run.outcome.after->steps;
        run.outcome.traceBefore = run.outcome.trace;
        const LanesPointer lanes = lanesOf(planRunOf(std::move(run)), {});
        QCOMPARE(lanes->runs.front().kind, Lanes::Run::Kind::BeforeTuning);
        const Lanes::Step &step = lanes->runs.back().steps[2]; // of block 1, which took 2 ms
        QVERIFY(step.before && step.now);
        QCOMPARE(*step.before, 2e-3);
        QCOMPARE(*step.now, 2e-3);
    }

    void everyThreadHasALane()
    {
        QCOMPARE(plan().threads(), 2U);
        QCOMPARE(before().threads(), 2U);
        QCOMPARE(lane(before(), 1).first, lane(before(), 1).end); // it had nothing to do
    }

    void slicesAreInTheOrderOfTime()
    {
        for (const Lanes::Lane &of : m_lanes->lanes)
            for (std::uint32_t i = of.first; i + 1 < of.end; ++i)
                QVERIFY(m_lanes->slices[i].end() <= m_lanes->slices[i + 1].start);
    }

    void gapsAreIdle()
    {
        const Lanes::Slice &third = m_lanes->slices[lane(plan(), 0).first + 2];
        QVERIFY(std::abs(third.start - 2e-3) < 1e-9);
        QVERIFY(std::abs(third.idle - 0.2e-3) < 1e-9);
    }

    void slicesThatOverlapByAClockTickDoNot()
    {
        const LanesPointer lanes = traced({{2, 0, 0, 1e-3, 1}, {3, 0, 0.9e-3, 1e-3, 1}});
        QCOMPARE(lanes->slices[1].start, 1e-3);
        QVERIFY(std::abs(lanes->slices[1].end() - 1.9e-3) < 1e-12);
    }

    void aStepLastsFromItsFirstThreadToItsLast()
    {
        const LanesPointer lanes = traced({{2, 1, 1e-3, 1e-3, 1}, {2, 0, 1.5e-3, 2e-3, 1}});
        const Lanes::Step &step = lanes->runs.back().steps[2];
        QCOMPARE(step.start, 1e-3);
        QVERIFY(std::abs(step.seconds - 2.5e-3) < 1e-12);
        QVERIFY(std::abs(step.busy - 3e-3) < 1e-12);
        QCOMPARE(step.threads, 2U);
        QCOMPARE(step.slice, 1U); // that of thread 1 is first in time, second in the list
        QVERIFY(std::abs(lanes->runs.back().idleShareOf(step) - 0.4) < 1e-9);
    }

    void aStepThatDidNotRunHasNoSlice()
    {
        const LanesPointer lanes = traced({{2, 0, 0, 1e-3, 1}});
        QCOMPARE(lanes->runs.back().steps[3].slice, Lanes::noSlice);
        QCOMPARE(lanes->runs.back().steps[3].seconds, 0.0);
    }

    void ratesAreThoseOfTheTracedRun()
    {
        const Lanes::Step &step = plan().steps[2]; // 2 MFLOP in 0.8 ms
        QVERIFY(std::abs(step.rateOf(step.flops) - 2.5e9) < 1);
        const Lanes::Step &interpreted = plan().steps[1];
        QVERIFY(!interpreted.reason.isEmpty());
        QCOMPARE(interpreted.rateOf(1e6), 0.0);
    }

    void whatTheNodesOfABlockTookBeforeIsItsTimeBefore()
    {
        const Lanes::Step &step = plan().steps[2]; // of three nodes, each of which took 2 ms
        QVERIFY(step.before && step.now);
        QVERIFY(std::abs(*step.before - 6e-3) < 1e-12);
        QCOMPARE(*step.now, step.usual);
        QVERIFY(!plan().steps[0].before); // a copy of an input
    }

    void aNodeOfTwoBlocksIsAttributedToNone()
    {
        Lanes lanes = *m_lanes;
        lanes.runs.back().steps[3].nodes.push_back(plan().steps[2].nodes.front());
        for (Lanes::Step &step : lanes.runs.back().steps)
            step.before = step.now = std::nullopt;
        compareSteps(lanes);
        QVERIFY(!lanes.runs.back().steps[2].before);
        QVERIFY(!lanes.runs.back().steps[3].before);
        QVERIFY(lanes.runs.back().steps[4].before);
    }

    void theSummaryAddsUp()
    {
        const QString text = summaryOf(plan());
        QVERIFY2(text.contains(QStringLiteral(" on 2 threads · kernels ")), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("interpreted")));
        QVERIFY(!summaryOf(before()).contains(QStringLiteral("interpreted")));
        QVERIFY(std::abs(plan().shareOf(plan().kernels + plan().interpreted) + plan().idleShare() -
                         1) < 1e-12);
    }

    void aTimeLeadsToItsSlice()
    {
        const Lanes::Lane &of = lane(plan(), 0);
        QCOMPARE(m_lanes->nearest(of, 3.5e-3), of.first + 3);
        QCOMPARE(m_lanes->nearest(of, 3.95e-3), of.first + 4); // nearer than the one before
        QCOMPARE(m_lanes->nearest(of, -1), of.first);
        QCOMPARE(m_lanes->nearest(of, 1e9), of.end - 1);
    }

private:
    SnapshotPointer m_fused;
    PlanRunPointer m_run;
    LanesPointer m_lanes;
};

GRAPHLOOM_WINDOW_TESTS(LanesTest)

} // namespace graphloom::test::lanes_test

#include "lanes_test.moc"
