// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/partition_editing.h"

#include "tests/support/random_network.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::partition_editing_test {

namespace {

/// a -> b -> c, and a -> d -> c, and an operator that nobody knows behind; each alone, of weight 3.
struct Diamond {
    Graph graph;
    std::vector<NodeId> nodes; // a, b, d, c, unknown
    Partition partition;
    Opsets opsets = sketchOpset;

    Diamond()
    {
        Sketch g;
        const TensorId a = g.call("Relu", {g.input("x", {4, 4})});
        const TensorId b = g.call("Abs", {a}), d = g.call("Neg", {a});
        const TensorId c = g.call("Add", {b, d});
        graph = g.finish({g.call("NobodyKnows", {c})});
        nodes = g.nodes();
        partition.method = "test";
        partition.threshold = 10;
        partition.nodeWeights.assign(graph.nodeBound(), 3);
        for (const NodeId id : graph.order())
            partition.subgraphs.push_back({{id}, 3});
        partition.index(graph);
    }
    PartitionEditor editor() const { return {graph, opsets, partition}; }
    std::uint32_t of(std::size_t node) const { return partition.subgraphOf[nodes[node].index]; }
    Result<Partition> merged(std::vector<std::size_t> list) const
    {
        std::vector<std::uint32_t> subgraphs;
        for (const std::size_t node : list)
            subgraphs.push_back(of(node));
        return editor().merge(subgraphs);
    }
};

QString reasonOf(const Result<Partition> &result)
{
    return result ? QString() : QString::fromStdString(result.error().text());
}

} // namespace

class PartitionEditingTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergedSubgraphsAreOneAndLocked()
    {
        const Diamond diamond;
        const auto merged = diamond.merged({0, 1});
        QVERIFY2(merged, qPrintable(reasonOf(merged)));
        QCOMPARE(merged->subgraphs.size(), std::size_t{4});
        const Subgraph &whole = merged->subgraphs[merged->subgraphOf[diamond.nodes[0].index]];
        QCOMPARE(whole.nodes.size(), std::size_t{2});
        QCOMPARE(whole.weight, 6.0);
        QVERIFY(whole.locked);
        QVERIFY(!merged->subgraphs[merged->subgraphOf[diamond.nodes[3].index]].locked);
    }

    void subgraphsSideBySideMerge()
    {
        const Diamond diamond;
        QVERIFY(diamond.merged({1, 2}));
    }

    /// The cause is the way out of the subgraph and back into it.
    void aCycleIsRefusedWithItsPath()
    {
        const Diamond diamond;
        const auto refused = diamond.merged({0, 1, 3});
        QVERIFY(!refused);
        QVERIFY2(reasonOf(refused).contains("would depend on each other"),
                 qPrintable(reasonOf(refused)));
        const std::vector<std::uint32_t> path{diamond.nodes[0].index, diamond.nodes[2].index,
                                              diamond.nodes[3].index};
        QCOMPARE(refused.error().nodes, path);
    }

    void theThresholdIsKept()
    {
        const Diamond diamond;
        const auto refused = diamond.merged({0, 1, 2, 3});
        QVERIFY(!refused);
        QVERIFY2(reasonOf(refused).contains("its weight would be 12, but must be less than 10"),
                 qPrintable(reasonOf(refused)));
        QCOMPARE(refused.error().nodes.size(), std::size_t{4});
    }

    void whatNobodyKnowsStaysAlone()
    {
        const Diamond diamond;
        const auto refused = diamond.merged({3, 4});
        QVERIFY(!refused);
        QCOMPARE(refused.error().nodes, std::vector{diamond.nodes[4].index});
    }

    void locksAreKept()
    {
        Diamond diamond;
        diamond.partition = diamond.editor().withLock(diamond.of(1), true);
        for (const auto &refused :
             {diamond.merged({0, 1}), diamond.editor().move(diamond.nodes[0], diamond.of(1))}) {
            QVERIFY(!refused);
            QVERIFY2(reasonOf(refused).contains("locked"), qPrintable(reasonOf(refused)));
            QCOMPARE(refused.error().nodes, std::vector{diamond.nodes[1].index});
        }
    }

    void aNodeMoves()
    {
        Diamond diamond;
        diamond.partition = *diamond.merged({0, 1});
        diamond.partition = diamond.editor().withLock(diamond.of(0), false);
        const auto moved = diamond.editor().move(diamond.nodes[1], diamond.of(2));
        QVERIFY2(moved, qPrintable(reasonOf(moved)));
        QCOMPARE(moved->subgraphOf[diamond.nodes[1].index],
                 moved->subgraphOf[diamond.nodes[2].index]);
        QVERIFY(moved->subgraphOf[diamond.nodes[0].index] !=
                moved->subgraphOf[diamond.nodes[1].index]);
    }

    void whatWasMergedSplitsAgain()
    {
        Diamond diamond;
        diamond.partition = *diamond.merged({0, 1, 2});
        diamond.partition = diamond.editor().withLock(diamond.of(0), false);
        const auto split = diamond.editor().split(std::array{diamond.nodes[0]});
        QVERIFY2(split, qPrintable(reasonOf(split)));
        QCOMPARE(split->subgraphs.size(), diamond.partition.subgraphs.size() + 1);
        QCOMPARE(split->subgraphs[split->subgraphOf[diamond.nodes[1].index]].weight, 6.0);
    }

    void withoutWeightsWholeSubgraphsMerge()
    {
        Diamond diamond;
        diamond.partition.nodeWeights.clear();
        diamond.partition = *diamond.merged({0, 1});
        QCOMPARE(diamond.partition.subgraphs[diamond.of(0)].weight, 6.0);
        diamond.partition = diamond.editor().withLock(diamond.of(0), false);
        QVERIFY(!diamond.editor().split(std::array{diamond.nodes[0]}));
    }

    /// Whatever is done to random graphs, what is not refused is a partition.
    void editsGivePartitions()
    {
        Random random(7);
        for (int round = 0; round < 20; ++round) {
            const Graph graph = randomNetwork(random, 17);
            Partition partition;
            partition.threshold = 40;
            partition.nodeWeights.assign(graph.nodeBound(), 5);
            for (const NodeId id : graph.order())
                partition.subgraphs.push_back({{id}, 5});
            partition.index(graph);
            const Opsets opsets = sketchOpset;
            int done = 0;
            for (int edit = 0; edit < 60; ++edit) {
                for (Subgraph &subgraph : partition.subgraphs)
                    subgraph.locked = false;
                const PartitionEditor editor(graph, opsets, partition);
                const auto any = [&] {
                    return std::uint32_t(random() % partition.subgraphs.size());
                };
                const NodeId node = graph.order()[random() % graph.nodeCount()];
                auto edited = random() % 3 == 0   ? editor.merge(std::array{any(), any()})
                              : random() % 2 == 0 ? editor.move(node, any())
                                                  : editor.split(std::array{node});
                if (!edited)
                    continue;
                ++done;
                const auto checked = checkPartition(graph, *edited);
                QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
                partition = *std::move(edited);
            }
            QVERIFY(done > 10);
        }
    }
};

GRAPHLOOM_TESTS(PartitionEditingTest)

} // namespace graphloom::test::partition_editing_test

#include "partition_editing_test.moc"
