// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/fusion/plan_edits.h"

#include "app/fusion/group_edits.h"
#include "engine/ops/derive/infer.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

namespace graphloom::test::plan_edits_test {

class PlanEditsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = test::fusedSample("mobilenet_v2_224.onnx");
        QVERIFY(m_fused);
        const auto facts = fusionFactsOf(*m_fused);
        QVERIFY2(facts, "the sample contradicts the operator table");
        m_facts = *facts;
    }

    void refusalsSayWhatToSelect_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("count");
        QTest::addColumn<QString>("merge");
        QTest::addColumn<QString>("split");
        QTest::addColumn<QString>("move");
        const QString two = QStringLiteral("select at least two blocks"),
                      one = QStringLiteral("select a single node");
        QTest::newRow("nothing") << 0 << 0 << two << QStringLiteral("select the nodes") << one;
        QTest::newRow("a whole block")
            << 0 << 3 << two << QStringLiteral("the selected nodes already form a block") << one;
        QTest::newRow("nodes of two blocks")
            << 1 << 3 << QString() << QStringLiteral("the selected nodes belong to several") << one;
    }
    void refusalsSayWhatToSelect()
    {
        QFETCH(int, first);
        QFETCH(int, count);
        QFETCH(QString, merge);
        QFETCH(QString, split);
        QFETCH(QString, move);
        const GroupEdits edits = editsFor(nodes(first, count));
        if (!merge.isEmpty())
            QVERIFY2(reasonOf(edits.merge).startsWith(merge), qPrintable(reasonOf(edits.merge)));
        QVERIFY2(reasonOf(edits.split).startsWith(split), qPrintable(reasonOf(edits.split)));
        QVERIFY2(reasonOf(edits.move).startsWith(move), qPrintable(reasonOf(edits.move)));
    }

    void blocksAreNotSplitOffThemselves()
    {
        const GroupEdits edits = editsFor({Item::block(0)});
        QVERIFY(reasonOf(edits.split).startsWith(QStringLiteral("select the nodes")));
    }

    void aNodeMayMoveToItsNeighboursOnly()
    {
        const GroupEdits edits = editsFor(nodes(5, 1)); // the last of block 1 feeds block 2
        QVERIFY(!edits.moves.empty());
        for (const GroupEdits::Move &move : edits.moves)
            QVERIFY(move.group != Item::block(1));
        QCOMPARE(edits.moves.front().group, Item::block(2));
    }

    void aNodeMayMoveWhereOneBlockTakesIt()
    {
        const SnapshotPointer split = splitOff(2);
        // The BatchNormalization may go behind, to the Clip.
        const GroupEdits edits = editsOf(split, nodes(1, 1));
        QVERIFY2(edits.move, qPrintable(reasonOf(edits.move)));
        QVERIFY(std::ranges::any_of(
            edits.moves, [](const GroupEdits::Move &move) { return move.outcome.has_value(); }));
    }

    void locksAreOfAllSelectedBlocks()
    {
        const SnapshotPointer locked = test::locked(m_fused, {0});
        QVERIFY(editsOf(locked, {Item::block(0)}).locked);
        QVERIFY(!editsOf(locked, {Item::block(0), Item::block(1)}).locked);
        const auto plan =
            (*editsOf(locked, {Item::block(0), Item::block(1)}).lock)(*locked->plan).fusion;
        QVERIFY(plan->blocks[0].locked && plan->blocks[1].locked && !plan->blocks[2].locked);
        const auto open = (*editsOf(locked, {Item::block(0)}).lock)(*locked->plan).fusion;
        QVERIFY(!open->blocks[0].locked);
    }

    void aSplitOffNodeIsABlock()
    {
        const GroupEdits edits = editsFor(nodes(2, 1)); // the Clip of Conv, BatchNorm, Clip
        QVERIFY2(edits.split, qPrintable(reasonOf(edits.split)));
        QCOMPARE((*edits.split)(*m_fused->plan).fusion->blocks.size(),
                 m_fused->plan->fusion->blocks.size() + 1);
    }

    void whatWasSplitCanBeMergedAgain()
    {
        const SnapshotPointer split = splitOff(2);
        const GroupEdits edits = editsOf(split, nodes(1, 2));
        QVERIFY2(edits.merge, qPrintable(reasonOf(edits.merge)));
        QCOMPARE((*edits.merge)(*split->plan).fusion->blocks.size(),
                 m_fused->plan->fusion->blocks.size());
    }

    void twoConvolutionsAreNoBlock()
    {
        const GroupEdits edits = editsFor({Item::block(0), Item::block(1)});
        QVERIFY(!edits.merge);
        QVERIFY2(reasonOf(edits.merge).contains(QStringLiteral("Many-to-Many")),
                 qPrintable(reasonOf(edits.merge)));
    }

    void layoutsFollowTheBlocks()
    {
        Plan plan = *m_fused->plan;
        plan.layouts = std::make_shared<const LayoutPlan>();
        const auto split = *editsFor(nodes(2, 1)).split;
        const Plan after = split(plan);
        QCOMPARE(after.layouts->blocks.size(), after.fusion->blocks.size());
        plan.layouts.reset(); // where none were chosen, none are
        QVERIFY(!split(plan).layouts);
    }

    void whatThePlanDoesNotHaveIsNotLookedAt()
    {
        const GroupEdits edits = editsFor({Item::block(9999), Item::subgraph(9999)});
        QVERIFY(edits.groups.empty());
        QVERIFY(!edits.merge && !edits.split && !edits.move);
    }

    void subgraphsAreEditedWhereTheyAreDrawn()
    {
        const SnapshotPointer both = test::fused(test::partitionedSample("mobilenet_v2_224.onnx"));
        QVERIFY(both);
        const auto items = {Item::of(both->graph().order()[0])};
        QCOMPARE(
            planEditsFor(*both, *fusionFactsOf(*both), Grouping::Subgraphs, items, {}).grouping,
            Grouping::Subgraphs);
        QCOMPARE(planEditsFor(*both, *fusionFactsOf(*both), Grouping::Blocks, items, {}).grouping,
                 Grouping::Blocks);
        // What is selected goes before what is drawn.
        QCOMPARE(
            planEditsFor(*both, *fusionFactsOf(*both), Grouping::Blocks, {Item::subgraph(0)}, {})
                .grouping,
            Grouping::Subgraphs);
    }

    void blocksMustStayInOneSubgraph()
    {
        const SnapshotPointer before = test::partitionedSample("mobilenet_v2_224.onnx");
        Plan plan = *before->plan;
        const Partition &partition = *plan.partition;
        const auto large = std::ranges::find_if(
            partition.subgraphs, [](const Subgraph &one) { return one.nodes.size() > 2; });
        QVERIFY(large != partition.subgraphs.end());
        // The subgraphs are the blocks.
        auto fusion = std::make_shared<FusionPlan>();
        fusion->partition = partition;
        fusion->blocks.resize(partition.subgraphs.size());
        fusion->within = plan.partition;
        plan.fusion = std::move(fusion);
        const auto bound = snapshotOf(std::make_shared<const Plan>(plan), before, {});
        const EditedGroups last{{std::uint32_t(large - partition.subgraphs.begin())},
                                {large->nodes.back()},
                                true,
                                true};
        const GroupEdits edits =
            groupEditsFor(*bound, Grouping::Subgraphs, last, subgraphEditor(*bound), {});
        QVERIFY2(reasonOf(edits.split).contains(QStringLiteral("it would span two subgraphs")),
                 qPrintable(reasonOf(edits.split)));
        QCOMPARE(edits.split.error().nodes.size(), large->nodes.size());
    }

    void theScheduleIsEditedStepByStep()
    {
        const PlanEdits edits = planEditsFor(*m_fused, m_facts, Grouping::Blocks, nodes(0, 1), {});
        QVERIFY(!edits.earlier); // the first
        QVERIFY2(reasonOf(edits.later).contains(QStringLiteral("reads an output of")),
                 qPrintable(reasonOf(edits.later)));
        QCOMPARE(edits.later.error().nodes.size(), std::size_t{2});
        QVERIFY(reasonOf(planEditsFor(*m_fused, m_facts, Grouping::Blocks, nodes(0, 9), {}).later)
                    .startsWith(QStringLiteral("select a single")));
    }

private:
    std::vector<Item> nodes(int first, int count) const
    {
        std::vector<Item> items;
        for (int i = first; i < first + count; ++i)
            items.push_back(Item::of(m_fused->graph().order()[std::size_t(i)]));
        return items;
    }
    GroupEdits editsFor(const std::vector<Item> &items) const { return editsOf(m_fused, items); }
    GroupEdits editsOf(const SnapshotPointer &of, const std::vector<Item> &items) const
    {
        return planEditsFor(*of, m_facts, Grouping::Blocks, items, {}).groups;
    }
    /// The sample with a node of its first block in a block of its own, and nothing locked.
    SnapshotPointer splitOff(int node) const
    {
        const auto apply = [&](const SnapshotPointer &to, const EditOutcome &outcome) {
            return snapshotOf(std::make_shared<const Plan>((*outcome)(*to->plan)), m_fused, {});
        };
        const SnapshotPointer split = apply(m_fused, editsFor(nodes(node, 1)).split);
        return apply(split, editsOf(split, {Item::block(0), Item::block(1)}).lock);
    }
    template <class Outcome> static QString reasonOf(const Outcome &outcome)
    {
        return outcome ? QString() : QString::fromStdString(outcome.error().text());
    }

    SnapshotPointer m_fused;
    FusionFactsPointer m_facts;
};

GRAPHLOOM_WINDOW_TESTS(PlanEditsTest)

} // namespace graphloom::test::plan_edits_test

#include "plan_edits_test.moc"
