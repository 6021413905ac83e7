// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/block_graph.h"

#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

using namespace graphloom;
using namespace graphloom::test;

namespace {

/// x -> Relu -> {Abs, Neg} -> Add, blocks 0 to 3.
Graph diamond()
{
    Sketch g;
    const TensorId top = g.call("Relu", {g.input("x", {4})});
    return g.finish({g.call("Add", {g.call("Abs", {top}), g.call("Neg", {top})})});
}

} // namespace

class BlockGraphTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void mergingAcrossAPathIsACycle();
    void mergingNeighboursIsNone();
    void mergedBlocksKeepTheGraphsOrder();
    void splitNodesGetABlockOfTheirOwn();
    void movedNodesChangeTheBlock();
    void randomMergesStayAcyclic();
};

void BlockGraphTest::mergingAcrossAPathIsACycle()
{
    const Graph graph = diamond();
    QVERIFY(BlockGraph(graph).wouldCycle(0, 3));
}

void BlockGraphTest::mergingNeighboursIsNone()
{
    const Graph graph = diamond();
    const BlockGraph blocks(graph);
    QVERIFY(!blocks.wouldCycle(0, 1));
    QVERIFY(!blocks.wouldCycle(1, 2)); // side by side
    const std::uint32_t all[] = {0, 1, 2, 3};
    QVERIFY(!blocks.wouldCycle(all));
}

void BlockGraphTest::mergedBlocksKeepTheGraphsOrder()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(3, 1);
    const auto order = graph.order();
    QCOMPARE(blocks.nodes(3), (std::vector{order[1], order[3]}));
    QVERIFY(blocks.nodes(1).empty());
    QCOMPARE(blocks.blockOf(order[1]), 3u);
    QCOMPARE(blocks.count(), std::size_t(3));
    QCOMPARE(blocks.predecessors(3), (std::vector<std::uint32_t>{0, 2}));
}

void BlockGraphTest::splitNodesGetABlockOfTheirOwn()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(0, 1);
    const NodeId part[] = {graph.order()[0]};
    const auto own = blocks.split(part);
    QCOMPARE(blocks.nodes(own), (std::vector{graph.order()[0]}));
    QCOMPARE(blocks.nodes(0), (std::vector{graph.order()[1]}));
    QCOMPARE(blocks.count(), std::size_t(4));
}

void BlockGraphTest::movedNodesChangeTheBlock()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(0, 1);
    const NodeId part[] = {graph.order()[1]};
    blocks.move(part, 3);
    QCOMPARE(blocks.nodes(3), (std::vector{graph.order()[1], graph.order()[3]}));
    QCOMPARE(blocks.count(), std::size_t(3));
}

void BlockGraphTest::randomMergesStayAcyclic()
{
    for (unsigned seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        BlockGraph blocks(graph);
        for (int step = 0; step < 200; ++step) {
            const auto a = std::uint32_t(below(random, blocks.bound()));
            const auto b = std::uint32_t(below(random, blocks.bound()));
            if (a == b || blocks.nodes(a).empty() || blocks.nodes(b).empty() ||
                blocks.wouldCycle(a, b))
                continue;
            blocks.merge(a, b);
        }
        const auto checked = checkPartition(graph, blocks.partition("test"));
        QVERIFY2(checked, qPrintable(QString("seed %1: %2")
                                         .arg(seed)
                                         .arg(checked ? "" : checked.error().text().c_str())));
    }
}

GRAPHLOOM_TESTS(BlockGraphTest)
#include "block_graph_test.moc"
