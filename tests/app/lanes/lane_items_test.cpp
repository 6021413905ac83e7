// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_items.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/made_runs.h"
#include "tests/support/app/window_driver.h"

#include <algorithm>

namespace graphloom::test::lane_items_test {

/// Of madeTracedRun() of rewritten() in one block: Relu and Sub do the work of two of the three
/// nodes of the original, whose second node was removed.
class LaneItemsTest : public QObject {
    Q_OBJECT

private:
    const Lanes::Run &before() const { return m_lanes->runs.front(); }
    const Lanes::Run &plan() const { return m_lanes->runs.back(); }

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fused(test::rewritten());
        QVERIFY(m_fused && m_fused->origins);
        m_lanes = lanesOf(test::madeTracedRun(m_fused), {});
        QVERIFY(m_lanes);
        QCOMPARE(before().steps.size(), std::size_t(3));
    }

    void aStepOfThePlanIsItsBlock()
    {
        QCOMPARE(itemsOf(*m_lanes, plan(), 1, *m_fused), std::vector{Item::block(0)});
    }

    void aCopyOfAnInputIsNothing() { QVERIFY(itemsOf(*m_lanes, plan(), 0, *m_fused).empty()); }

    void aStepOfTheOriginalIsTheBlockThatDoesItsWorkNow()
    {
        QCOMPARE(itemsOf(*m_lanes, before(), 0, *m_fused), std::vector{Item::block(0)});
        QCOMPARE(itemsOf(*m_lanes, before(), 2, *m_fused), std::vector{Item::block(0)});
    }

    void aNodeThatWasRemovedIsNothing()
    {
        QVERIFY(itemsOf(*m_lanes, before(), 1, *m_fused).empty());
    }

    void withoutFusionAStepIsItsNode()
    {
        const SnapshotPointer plain = test::rewritten();
        const LanesPointer lanes = lanesOf(test::madeTracedRun(plain), {});
        const NodeId last = plain->graph().order().back();
        QCOMPARE(itemsOf(*lanes, lanes->runs.back(), 2, *plain), std::vector{Item::of(last)});
        QCOMPARE(itemsOf(*lanes, lanes->runs.front(), 2, *plain), std::vector{Item::of(last)});
    }

    void aBlockIsItsStepsInBothRuns()
    {
        const std::vector items{Item::block(0)};
        QCOMPARE(stepsOf(plan(), *m_fused, items), (std::vector{false, true}));
        QCOMPARE(stepsOf(before(), *m_fused, items), (std::vector{true, false, true}));
    }

    void aNodeIsTheStepsThatComputeIt()
    {
        const std::vector items{Item::of(m_fused->graph().order().back())};
        QCOMPARE(stepsOf(plan(), *m_fused, items), (std::vector{false, true}));
        QCOMPARE(stepsOf(before(), *m_fused, items), (std::vector{false, false, true}));
    }

    void aTensorIsTheStepsThatComputeIt()
    {
        const NodeId last = m_fused->graph().order().back();
        const std::vector items{Item::tensor(m_fused->graph().node(last).outputs.front())};
        QCOMPARE(stepsOf(before(), *m_fused, items), (std::vector{false, false, true}));
    }

    void nothingSelectedIsNoStep()
    {
        QCOMPARE(stepsOf(plan(), *m_fused, {}), (std::vector{false, false}));
    }

private:
    SnapshotPointer m_fused;
    LanesPointer m_lanes;
};

GRAPHLOOM_WINDOW_TESTS(LaneItemsTest)

} // namespace graphloom::test::lane_items_test

#include "lane_items_test.moc"
