// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/block_edits.h"

#include "tests/support/app/made_plans.h"
#include "tests/support/app/window_driver.h"

using namespace graphloom;

class BlockEditsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_fused = testing::fusedSample("mobilenet_v2_224.onnx");
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
        const QString two = QStringLiteral("select two blocks"),
                      one = QStringLiteral("select the one node");
        QTest::newRow("nothing") << 0 << 0 << two << QStringLiteral("select the nodes") << one;
        QTest::newRow("a whole block")
            << 0 << 3 << two << QStringLiteral("they are a block") << one;
        QTest::newRow("nodes of two blocks")
            << 1 << 3 << QString() << QStringLiteral("the selected nodes are of several") << one;
    }
    void refusalsSayWhatToSelect()
    {
        QFETCH(int, first);
        QFETCH(int, count);
        QFETCH(QString, merge);
        QFETCH(QString, split);
        QFETCH(QString, move);
        const BlockEdits edits = editsFor(nodes(first, count));
        if (!merge.isEmpty())
            QVERIFY2(reasonOf(edits.merge).startsWith(merge), qPrintable(reasonOf(edits.merge)));
        QVERIFY2(reasonOf(edits.split).startsWith(split), qPrintable(reasonOf(edits.split)));
        QVERIFY2(reasonOf(edits.move).startsWith(move), qPrintable(reasonOf(edits.move)));
    }

    void blocksAreNotSplitOffThemselves()
    {
        const BlockEdits edits = editsFor({Item::block(0)});
        QVERIFY(reasonOf(edits.split).startsWith(QStringLiteral("select the nodes")));
    }

    void aNodeMayMoveToItsNeighboursOnly()
    {
        const BlockEdits edits = editsFor(nodes(5, 1)); // the last of block 1 feeds block 2
        QVERIFY(!edits.moves.empty());
        for (const BlockEdits::Move &move : edits.moves)
            QVERIFY(move.block != Item::block(1));
        QCOMPARE(edits.moves.front().block, Item::block(2));
    }

    void aNodeMayMoveWhereOneBlockTakesIt()
    {
        Plan plan = *m_fused->plan;
        plan.fusion = *editsFor(nodes(2, 1)).split;
        plan = withLocks(std::move(plan), *m_facts, {0, 1}, false);
        const auto split = snapshotOf(std::make_shared<const Plan>(plan), m_fused, {});
        // The BatchNormalization may go behind, to the Clip.
        const BlockEdits edits = blockEditsFor(*split, *m_facts, nodes(1, 1), {});
        QVERIFY2(edits.move, qPrintable(reasonOf(edits.move)));
        QVERIFY(std::ranges::any_of(
            edits.moves, [](const BlockEdits::Move &move) { return move.outcome.has_value(); }));
    }

    void locksAreOfAllSelectedBlocks()
    {
        const SnapshotPointer locked = testing::locked(m_fused, {0});
        QVERIFY(blockEditsFor(*locked, *m_facts, {Item::block(0)}, {}).locked);
        QVERIFY(!blockEditsFor(*locked, *m_facts, {Item::block(0), Item::block(1)}, {}).locked);
        const auto plan = withLocks(*locked->plan, *m_facts, {0, 1}, true).fusion;
        QVERIFY(plan->blocks[0].locked && plan->blocks[1].locked && !plan->blocks[2].locked);
        const auto open = withLocks(*locked->plan, *m_facts, {0, 1}, false).fusion;
        QVERIFY(!open->blocks[0].locked && !open->blocks[1].locked);
    }

    void aSplitOffNodeIsABlock()
    {
        const BlockEdits edits = editsFor(nodes(2, 1)); // the Clip of Conv, BatchNorm, Clip
        QVERIFY2(edits.split, qPrintable(reasonOf(edits.split)));
        QCOMPARE((*edits.split)->blocks.size(), m_fused->plan->fusion->blocks.size() + 1);
    }

    void whatWasSplitCanBeMergedAgain()
    {
        Plan plan = *m_fused->plan;
        plan.fusion = *editsFor(nodes(2, 1)).split;
        plan = withLocks(std::move(plan), *m_facts, {0, 1}, false);
        const auto split = snapshotOf(std::make_shared<const Plan>(plan), m_fused, {});
        const BlockEdits edits = blockEditsFor(*split, *m_facts, nodes(1, 2), {});
        QVERIFY2(edits.merge, qPrintable(reasonOf(edits.merge)));
        QCOMPARE((*edits.merge)->blocks.size(), m_fused->plan->fusion->blocks.size());
    }

    void twoConvolutionsAreNoBlock()
    {
        const BlockEdits edits = editsFor({Item::block(0), Item::block(1)});
        QVERIFY(!edits.merge);
        QVERIFY2(reasonOf(edits.merge).contains(QStringLiteral("Many-to-Many")),
                 qPrintable(reasonOf(edits.merge)));
    }

    void layoutsFollowTheBlocks()
    {
        Plan plan = *m_fused->plan;
        plan.layouts = std::make_shared<const LayoutPlan>();
        const auto split = *editsFor(nodes(2, 1)).split;
        QCOMPARE(withBlocks(plan, *m_facts, split).layouts->blocks.size(), split->blocks.size());
        plan.layouts.reset(); // where none were chosen, none are
        QVERIFY(!withBlocks(plan, *m_facts, split).layouts);
    }

    void whatThePlanDoesNotHaveIsNotLookedAt()
    {
        const BlockEdits edits = editsFor({Item::block(9999), Item::subgraph(0)});
        QVERIFY(edits.blocks.empty());
        QVERIFY(!edits.merge && !edits.split && !edits.move);
    }

private:
    std::vector<Item> nodes(int first, int count) const
    {
        std::vector<Item> items;
        for (int i = first; i < first + count; ++i)
            items.push_back(Item::of(m_fused->graph().order()[std::size_t(i)]));
        return items;
    }
    BlockEdits editsFor(const std::vector<Item> &items) const
    {
        return blockEditsFor(*m_fused, *m_facts, items, {});
    }
    template <class Outcome> static QString reasonOf(const Outcome &outcome)
    {
        return outcome ? QString() : QString::fromStdString(outcome.error().text());
    }

    SnapshotPointer m_fused;
    FusionFactsPointer m_facts;
};

GRAPHLOOM_WINDOW_TESTS(BlockEditsTest)
#include "block_edits_test.moc"
