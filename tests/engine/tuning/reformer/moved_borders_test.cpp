// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/moved_borders.h"

#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::moved_borders_test {

namespace {

/// Returns x -> a -> b -> c -> d, and a -> d.
Graph diamond()
{
    GraphMaker make;
    const TensorId x = make.input("x", {4});
    const TensorId a = make.call("Relu", {x}, {4});
    const TensorId b = make.call("Relu", {a}, {4});
    const TensorId c = make.call("Relu", {b}, {4});
    return make.finish({make.call("Add", {a, c}, {4})});
}

/// Returns a partition of nodes that weigh 1 each; subgraphs are named by places in the order.
std::shared_ptr<Partition>
partitionOf(const Graph &graph, const std::vector<std::vector<int>> &places, double threshold)
{
    auto partition = std::make_shared<Partition>();
    partition->threshold = threshold;
    partition->nodeWeights.resize(graph.nodeBound(), 1);
    for (const std::vector<int> &some : places) {
        Subgraph &subgraph = partition->subgraphs.emplace_back();
        for (const int place : some)
            subgraph.nodes.push_back(graph.order()[std::size_t(place)]);
        subgraph.weight = double(some.size());
    }
    partition->index(graph);
    return partition;
}

} // namespace

class MovedBordersTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesOfOneSubgraphMoveNothing()
    {
        const auto partition = partitionOf(m_graph, {{0, 1}, {2, 3}}, 10);
        MovedBorders borders(m_graph, partition);
        borders.hold(nodes({0, 1}));
        QCOMPARE(borders.partition(), partition);
    }

    void nodesOfTwoComeToOne()
    {
        MovedBorders borders(m_graph, partitionOf(m_graph, {{0, 1}, {2, 3}}, 10));
        QVERIFY(borders.canHold(nodes({1, 2})));
        borders.hold(nodes({1, 2}));
        const auto moved = borders.partition();
        QVERIFY(checkPartition(m_graph, *moved));
        QCOMPARE(moved->subgraphOf[nodes({1})[0].index], moved->subgraphOf[nodes({2})[0].index]);
        QCOMPARE(moved->subgraphs[0].weight + moved->subgraphs[1].weight, 4.0);
    }

    void theThresholdHolds()
    {
        const MovedBorders borders(m_graph, partitionOf(m_graph, {{0, 1}, {2, 3}}, 3));
        QVERIFY(!borders.canHold(nodes({1, 2})));
    }

    void noCycleArises()
    {
        const MovedBorders borders(m_graph, partitionOf(m_graph, {{0}, {1}, {2}, {3}}, 10));
        QVERIFY(!borders.canHold(nodes({0, 3})));
    }

    void lockedSubgraphsKeepTheirNodes()
    {
        const auto partition = partitionOf(m_graph, {{0, 1}, {2, 3}}, 10);
        partition->subgraphs[0].locked = true;
        QVERIFY(!MovedBorders(m_graph, partition).canHold(nodes({1, 2})));
    }

    void withoutAPartitionThereAreNoBorders()
    {
        MovedBorders borders(m_graph, nullptr);
        QVERIFY(borders.canHold(nodes({0, 3})));
        borders.hold(nodes({0, 3}));
        QVERIFY(!borders.partition());
    }

private:
    std::vector<NodeId> nodes(const std::vector<int> &places) const
    {
        std::vector<NodeId> found;
        for (const int place : places)
            found.push_back(m_graph.order()[std::size_t(place)]);
        return found;
    }

    const Graph m_graph = diamond();
};

GRAPHLOOM_TESTS(MovedBordersTest)

} // namespace graphloom::test::moved_borders_test

#include "moved_borders_test.moc"
