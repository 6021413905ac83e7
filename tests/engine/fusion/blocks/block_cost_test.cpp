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

GRAPHLOOM_TESTS(BlockCostTest)

} // namespace graphloom::test::block_cost_test

#include "block_cost_test.moc"
