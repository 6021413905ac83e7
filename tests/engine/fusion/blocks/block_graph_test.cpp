// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_graph.h"

#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::block_graph_test {

namespace testing = graphloom::test;

namespace {

using Block = BlockGraph::Block;

/// x -> Relu -> {Abs, Neg} -> Add, blocks 0 to 3.
Graph diamond()
{
    Sketch g;
    const TensorId top = g.call("Relu", {g.input("x", {4})});
    return g.finish({g.call("Add", {g.call("Abs", {top}), g.call("Neg", {top})})});
}

/// Whether a way leaves the blocks and comes back to them: every block that is reached is looked
/// at.
bool comesBack(const BlockGraph &blocks, const std::set<Block> &given)
{
    std::set<Block> seen;
    std::vector<Block> open(given.begin(), given.end());
    while (!open.empty()) {
        const auto block = open.back();
        open.pop_back();
        for (const auto next : blocks.successors(block)) {
            if (given.contains(next) && !given.contains(block))
                return true;
            if (!given.contains(next) && seen.insert(next).second)
                open.push_back(next);
        }
    }
    return false;
}

bool hasCycle(const BlockGraph &blocks)
{
    for (const Block block : blocks.names())
        if (!blocks.nodes(block).empty() && comesBack(blocks, {block}))
            return true;
    return false;
}

/// A part of the nodes, neither none nor all.
std::vector<NodeId> partOf(const std::vector<NodeId> &nodes, Random &random)
{
    std::vector<NodeId> part;
    for (const NodeId id : nodes)
        if (below(random, 2))
            part.push_back(id);
    if (part.empty() || part.size() == nodes.size())
        part = {nodes[below(random, nodes.size())]};
    return part;
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
    void randomEditsAreAnsweredLikeByAFullSearch();
    void copiesAreTheirOwn();
    void neighboursAreQuicklyAsked();
};

void BlockGraphTest::mergingAcrossAPathIsACycle()
{
    const Graph graph = diamond();
    QVERIFY(BlockGraph(graph).wouldCycle(Block(0), Block(3)));
}

void BlockGraphTest::mergingNeighboursIsNone()
{
    const Graph graph = diamond();
    const BlockGraph blocks(graph);
    QVERIFY(!blocks.wouldCycle(Block(0), Block(1)));
    QVERIFY(!blocks.wouldCycle(Block(1), Block(2))); // side by side
    const Block all[] = {Block(0), Block(1), Block(2), Block(3)};
    QVERIFY(!blocks.wouldCycle(all));
}

void BlockGraphTest::mergedBlocksKeepTheGraphsOrder()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(Block(3), Block(1));
    const auto order = graph.order();
    QCOMPARE(blocks.nodes(Block(3)), (std::vector{order[1], order[3]}));
    QVERIFY(blocks.nodes(Block(1)).empty());
    QCOMPARE(blocks.blockOf(order[1]), Block(3));
    QCOMPARE(blocks.count(), std::size_t(3));
    QCOMPARE(blocks.predecessors(Block(3)), (std::vector{Block(0), Block(2)}));
}

void BlockGraphTest::splitNodesGetABlockOfTheirOwn()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(Block(0), Block(1));
    const NodeId part[] = {graph.order()[0]};
    const auto own = blocks.split(part);
    QCOMPARE(blocks.nodes(own), (std::vector{graph.order()[0]}));
    QCOMPARE(blocks.nodes(Block(0)), (std::vector{graph.order()[1]}));
    QCOMPARE(blocks.count(), std::size_t(4));
}

void BlockGraphTest::movedNodesChangeTheBlock()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    blocks.merge(Block(0), Block(1));
    const NodeId part[] = {graph.order()[1]};
    blocks.move(part, Block(3));
    QCOMPARE(blocks.nodes(Block(3)), (std::vector{graph.order()[1], graph.order()[3]}));
    QCOMPARE(blocks.count(), std::size_t(3));
}

void BlockGraphTest::randomMergesStayAcyclic()
{
    for (unsigned seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        BlockGraph blocks(graph);
        for (int step = 0; step < 200; ++step) {
            const Block a(below(random, blocks.names().size()));
            const Block b(below(random, blocks.names().size()));
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

void BlockGraphTest::randomEditsAreAnsweredLikeByAFullSearch()
{
    int cycles = 0, none = 0, cyclic = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        BlockGraph blocks(graph);
        for (int step = 0; step < 60; ++step) {
            const Block a(below(random, blocks.names().size()));
            const Block b(below(random, blocks.names().size()));
            if (a == b || blocks.nodes(a).empty() || blocks.nodes(b).empty())
                continue;
            const bool cycle = blocks.wouldCycle(a, b);
            QCOMPARE(cycle, comesBack(blocks, {a, b}));
            ++(cycle ? cycles : none);
            if (step % 3 == 0 && blocks.nodes(a).size() > 1) {
                const auto part = partOf(blocks.nodes(a), random);
                const BlockGraph before = blocks;
                Block other = b;
                if (step % 2)
                    blocks.move(part, b);
                else
                    other = blocks.split(part);
                const Block changed[] = {a, other};
                for (const auto &block : changed)
                    QCOMPARE(blocks.wouldCycle({&block, 1}), comesBack(blocks, {block}));
                if (hasCycle(blocks)) {
                    ++cyclic;
                    if (below(random, 8)) // otherwise it goes on with a cycle
                        blocks = before;
                }
            } else if (!cycle) {
                blocks.merge(a, b);
            }
        }
    }
    QVERIFY(cycles > 50 && none > 50 && cyclic > 10);
}

void BlockGraphTest::copiesAreTheirOwn()
{
    const Graph graph = diamond();
    BlockGraph blocks(graph);
    const BlockGraph before = blocks;
    blocks.merge(Block(1), Block(3));
    QCOMPARE(before.nodes(Block(3)), (std::vector{graph.order()[3]}));
    QCOMPARE(before.blockOf(graph.order()[3]), Block(3));
    QVERIFY(before.wouldCycle(Block(0), Block(3)));
    QVERIFY(blocks.wouldCycle(Block(0), Block(1)));
    QVERIFY(!blocks.wouldCycle(Block(1), Block(2)));
}

void BlockGraphTest::neighboursAreQuicklyAsked()
{
    // Whatever is behind the two in the graph has no way back to them.
    const Graph graph = test::transformer(4000);
    BlockGraph blocks(graph);
    Steps steps;
    const auto order = graph.order();
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        const auto a = blocks.blockOf(order[i]), b = blocks.blockOf(order[i + 1]);
        if (a != b && blocks.nodes(a).size() < 8 && !blocks.wouldCycle(a, b, &steps))
            blocks.merge(a, b);
    }
    QVERIFY(blocks.count() < graph.nodeCount() / 4);
    QVERIFY2(steps.total() < 50 * graph.nodeCount(), qPrintable(QString::number(steps.total())));
}

GRAPHLOOM_TESTS(BlockGraphTest)

} // namespace graphloom::test::block_graph_test

#include "block_graph_test.moc"
