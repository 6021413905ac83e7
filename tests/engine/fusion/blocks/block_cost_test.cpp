// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_cost.h"

#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::block_cost_test {

namespace {

/// Two convolutions, their results joined, and an activation of that.
struct Joined {
    Graph graph;
    std::vector<NodeId> nodes; // Conv, Conv, Concat, Relu
    std::vector<TensorId> parts;

    Joined()
    {
        Sketch g;
        const TensorId x = g.input("x", {1, 8, 10, 10});
        parts = {g.conv(x, 8, 8), g.conv(x, 8, 8)};
        const TensorId joined = g.call("Concat", parts, {integer("axis", 1)});
        graph = g.finish({g.call("Relu", {joined})});
        nodes = g.nodes();
    }
    std::vector<TensorId> placed(std::vector<NodeId> block) const
    {
        return placeableOperands(*Ecg::of(graph, sketchOpset), block);
    }
};

} // namespace

class BlockCostTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operandsOfAResultInMemoryArePlaced();
    void whatTheBlockComputesItselfIsNotPlaced();
    void nothingIsPlacedInAResultThatStaysInside();
    void placedOperandsAreNotMoved();
    void aLookupReadsWhatItLooksUp();
    void transpositionsThatKeepRowsCostAsMuchAsACopy();
};

void BlockCostTest::operandsOfAResultInMemoryArePlaced()
{
    const Joined joined;
    QCOMPARE(joined.placed({joined.nodes[2]}), joined.parts);
}

void BlockCostTest::whatTheBlockComputesItselfIsNotPlaced()
{
    const Joined joined;
    QCOMPARE(joined.placed({joined.nodes[1], joined.nodes[2]}), std::vector{joined.parts[0]});
}

void BlockCostTest::nothingIsPlacedInAResultThatStaysInside()
{
    const Joined joined;
    QVERIFY(joined.placed({joined.nodes[2], joined.nodes[3]}).empty());
}

void BlockCostTest::placedOperandsAreNotMoved()
{
    const Joined joined;
    const Ecg ecg = *Ecg::of(joined.graph, sketchOpset);
    const BlockCost cost(ecg, devices().front());
    const NodeId alone[] = {joined.nodes[2]};
    QCOMPARE(cost.of(alone, {}).seconds, devices().front().launchSeconds);
}

/// Returns the seconds of the only node of a graph on the first of devices(), without its launch.
double secondsOf(const Graph &graph)
{
    const Ecg ecg = *Ecg::of(graph, sketchOpset);
    const BlockCost cost(ecg, devices().front());
    return cost.of(graph.order(), {}).seconds - devices().front().launchSeconds;
}

void BlockCostTest::aLookupReadsWhatItLooksUp()
{
    Sketch g;
    const TensorId table = g.weight({30'000, 128});
    const Graph graph = g.finish({g.call("Gather", {table, g.integers({1, 2, 3, 4})})});
    const double bytes = 2 * 4 * 128 * 4 + 4 * 8; // rows read and written, and their numbers
    QVERIFY(secondsOf(graph) <= bytes / devices().front().bandwidth);
}

void BlockCostTest::transpositionsThatKeepRowsCostAsMuchAsACopy()
{
    const auto transposed = [](const std::vector<std::int64_t> &order) {
        Sketch g;
        return secondsOf(
            g.finish({g.call("Transpose", {g.input("x", {16, 12, 64})}, {ints("perm", order)})}));
    };
    const double copied = 2 * 16 * 12 * 64 * 4 / devices().front().bandwidth;
    QCOMPARE(transposed({1, 0, 2}), copied);
    QVERIFY(transposed({0, 2, 1}) > 1.5 * copied);
}

GRAPHLOOM_TESTS(BlockCostTest)

} // namespace graphloom::test::block_cost_test

#include "block_cost_test.moc"
