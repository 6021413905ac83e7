// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/block_editing.h"

#include "engine/fusion/blocks/fusion_facts.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_editing_test {

namespace {

/// x -> Conv -> Relu -> Add(, side) -> Conv -> NonZero; every node is a block of its own.
struct Chain {
    std::vector<NodeId> nodes; // Conv, Relu, Abs (beside), Add, Conv, NonZero
    std::unique_ptr<const FusionFacts> facts;
    FusionPlan plan;

    Chain()
    {
        Sketch g;
        const TensorId x = g.input("x", {1, 8, 10, 10});
        const TensorId relu = g.call("Relu", {g.conv(x, 8, 8)});
        const TensorId side = g.call("Abs", {relu});
        const TensorId last = g.conv(g.call("Add", {relu, side}), 8, 8);
        Graph graph = g.finish({g.call("NonZero", {last})});
        nodes = g.nodes();
        auto made = FusionFacts::of(std::move(graph), sketchOpset, {}, devices().front());
        facts = *std::move(made);
        plan = planOf(facts->merger(), BlockGraph(facts->ecg().graph()), "test");
        plan.statistics.before = layersOf(facts->ecg());
    }
    BlockEditor editor() const { return {facts->merger(), plan}; }
    std::uint32_t block(std::size_t node) const { return plan.blockOf(nodes[node]); }
    Result<FusionPlan> merged(std::vector<std::size_t> list) const
    {
        std::vector<std::uint32_t> blocks;
        for (const std::size_t node : list)
            blocks.push_back(block(node));
        return editor().merge(blocks);
    }
};

QString reasonOf(const Result<FusionPlan> &result)
{
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class BlockEditingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergedBlocksAreOneAndLocked();
    void editedPlansPassTheCheck();
    void contractionsDoNotMerge();
    void opaqueOperatorsDoNotMerge();
    void cyclesAreRefused();
    void unconnectedBlocksAreRefused();
    void readersOfTheSameTensorMerge();
    void lockedBlocksAreLeftAlone();
    void aSplitBlockLeavesConnectedParts();
    void notAllOfABlockCanBeSplitOff();
    void anOperatorMovesToItsNeighbour();
    void statisticsFollow();
};

void BlockEditingTest::mergedBlocksAreOneAndLocked()
{
    const Chain chain;
    const auto plan = chain.merged({0, 1});
    QVERIFY2(plan, qPrintable(reasonOf(plan)));
    QCOMPARE(plan->blocks.size(), chain.plan.blocks.size() - 1);
    const auto block = plan->blockOf(chain.nodes[0]);
    QCOMPARE(plan->blockOf(chain.nodes[1]), block);
    QVERIFY(plan->blocks[block].locked);
}

void BlockEditingTest::editedPlansPassTheCheck()
{
    const Chain chain;
    const auto plan = chain.merged({0, 1, 2, 3});
    QVERIFY2(plan, qPrintable(reasonOf(plan)));
    const auto checked = checkFusionPlan(chain.facts->ecg().graph(), sketchOpset, *plan);
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
}

void BlockEditingTest::contractionsDoNotMerge()
{
    const Chain chain;
    const auto plan = chain.merged({0, 1, 2, 3, 4});
    QVERIFY(reasonOf(plan).contains("Many-to-Many before Many-to-Many"));
}

void BlockEditingTest::opaqueOperatorsDoNotMerge()
{
    QVERIFY(reasonOf(Chain().merged({4, 5})).contains("has no index maps"));
}

void BlockEditingTest::cyclesAreRefused()
{
    // Relu and Add without Abs, which stands between them.
    QVERIFY(reasonOf(Chain().merged({1, 3})).contains("would depend on each other"));
}

void BlockEditingTest::unconnectedBlocksAreRefused()
{
    QVERIFY(reasonOf(Chain().merged({0, 2})).contains("must be connected or read the same tensor"));
}

void BlockEditingTest::readersOfTheSameTensorMerge()
{
    Sketch g;
    const TensorId x = g.input("x", {4, 4});
    const auto facts = FusionFacts::of(g.finish({g.call("Relu", {x}), g.call("Abs", {x})}),
                                       sketchOpset, {}, devices().front());
    const FusionPlan apart =
        planOf((*facts)->merger(), BlockGraph((*facts)->ecg().graph()), "test");
    const std::uint32_t both[] = {0, 1};
    const auto plan = BlockEditor((*facts)->merger(), apart).merge(both);
    QVERIFY2(plan, qPrintable(reasonOf(plan)));
    QCOMPARE(plan->blocks.size(), std::size_t(1));
}

void BlockEditingTest::lockedBlocksAreLeftAlone()
{
    Chain chain;
    chain.plan = chain.editor().withLock(chain.block(1), true);
    QVERIFY(reasonOf(chain.merged({0, 1})).contains("it is locked"));
    chain.plan = chain.editor().withLock(chain.block(1), false);
    QVERIFY(chain.merged({0, 1}));
}

void BlockEditingTest::aSplitBlockLeavesConnectedParts()
{
    Chain chain;
    chain.plan = *chain.merged({0, 1, 2, 3});
    for (FusionBlock &block : chain.plan.blocks)
        block.locked = false;
    const NodeId relu[] = {chain.nodes[1]};
    const auto plan = chain.editor().split(relu);
    QVERIFY2(plan, qPrintable(reasonOf(plan)));
    QVERIFY(plan->blockOf(chain.nodes[0]) != plan->blockOf(chain.nodes[3]));
    QCOMPARE(plan->blockOf(chain.nodes[2]), plan->blockOf(chain.nodes[3]));
}

void BlockEditingTest::notAllOfABlockCanBeSplitOff()
{
    const Chain chain;
    const NodeId all[] = {chain.nodes[0]};
    QVERIFY(reasonOf(chain.editor().split(all)).contains("cannot split off all"));
}

void BlockEditingTest::anOperatorMovesToItsNeighbour()
{
    Chain chain;
    chain.plan = *chain.merged({3, 4});
    for (FusionBlock &block : chain.plan.blocks)
        block.locked = false;
    const auto plan = chain.editor().move(chain.nodes[3], chain.block(2));
    QVERIFY2(plan, qPrintable(reasonOf(plan)));
    QCOMPARE(plan->blockOf(chain.nodes[3]), plan->blockOf(chain.nodes[2]));
    QVERIFY(plan->blockOf(chain.nodes[3]) != plan->blockOf(chain.nodes[4]));
}

void BlockEditingTest::statisticsFollow()
{
    const Chain chain;
    const auto plan = chain.merged({0, 1});
    QCOMPARE(plan->statistics.before.layers, chain.plan.statistics.before.layers);
    QCOMPARE(plan->statistics.after.layers, chain.plan.statistics.after.layers - 1);
    QCOMPARE(plan->statistics.after.irsBytes, chain.plan.statistics.after.irsBytes - 8 * 100 * 4);
}

GRAPHLOOM_TESTS(BlockEditingTest)

} // namespace graphloom::test::block_editing_test

#include "block_editing_test.moc"
