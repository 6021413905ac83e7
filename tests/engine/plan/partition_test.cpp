// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/partition.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <algorithm>
#include <cmath>

namespace graphloom::test::partition_test {

namespace {

/// n nodes in a row; node i is order()[i].
Graph chain(std::uint32_t nodes)
{
    GraphEditor editor;
    Tensor tensor;
    tensor.type = DataType::Float;
    TensorId last = editor.addTensor(tensor);
    editor.setInputs({last});
    for (std::uint32_t i = 0; i < nodes; ++i) {
        Node node;
        node.op = "F";
        node.name = "n" + std::to_string(i);
        node.inputs = {last};
        last = editor.addTensor(tensor);
        node.outputs = {last};
        editor.addNode(std::move(node));
    }
    editor.setOutputs({last});
    return *std::move(editor).finish();
}

/// A partition of given node positions, each node weighing 1.
Partition partitionOf(const Graph &graph, std::vector<std::vector<std::uint32_t>> parts)
{
    Partition partition;
    partition.method = "test";
    partition.threshold = 10;
    for (const auto &part : parts) {
        Subgraph &subgraph = partition.subgraphs.emplace_back();
        for (const std::uint32_t position : part)
            subgraph.nodes.push_back(graph.order()[position]);
        subgraph.weight = double(part.size());
    }
    partition.index(graph);
    return partition;
}

QString refusal(const Graph &graph, const Partition &partition)
{
    const auto checked = checkPartition(graph, partition);
    return checked ? "none" : QString::fromStdString(checked.error().text());
}

} // namespace

class PartitionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void indexFollowsSubgraphs();
    void statisticsOfKnownWeights();
    void statisticsOfNothing();
    void cyclesAreFound();
    void acyclicityAgreesWithReachability();
    void validPartitionsPass();
    void defectsAreNamed();
};

void PartitionTest::indexFollowsSubgraphs()
{
    const Graph graph = chain(4);
    const Partition partition = partitionOf(graph, {{0, 1}, {2}, {3}});
    QCOMPARE(partition.subgraphOf, (std::vector<std::uint32_t>{0, 0, 1, 2}));
    GraphEditor editor(graph);
    editor.setOutputs({graph.node(graph.order()[1]).outputs[0]});
    editor.removeUnused();
    const Graph cut = *std::move(editor).finish();
    Partition rest = partitionOf(cut, {{0}, {1}});
    QCOMPARE(rest.subgraphOf, (std::vector<std::uint32_t>{0, 1, Partition::none, Partition::none}));
}

void PartitionTest::statisticsOfKnownWeights()
{
    const Graph graph = chain(4);
    Partition partition = partitionOf(graph, {{0}, {1}, {2}, {3}});
    const double weights[] = {10, 20, 30, 100};
    for (std::size_t i = 0; i < 4; ++i)
        partition.subgraphs[i].weight = weights[i];
    const PartitionStatistics found = statisticsOf(graph, partition);
    QCOMPARE(found.subgraphs, std::size_t(4));
    QCOMPARE(found.trivial, std::size_t(1)); // 20 is not below 20
    QCOMPARE(found.mean, 40.0);
    QCOMPARE(found.median, 25.0);
    QCOMPARE(found.jain, 160.0 * 160 / (4 * (100 + 400 + 900 + 10000)));
    QVERIFY(found.acyclic);
    partition = partitionOf(graph, {{0, 1}, {2}, {3}});
    QCOMPARE(statisticsOf(graph, partition).median, 1.0); // odd number
}

void PartitionTest::statisticsOfNothing()
{
    const Graph graph = chain(0);
    const PartitionStatistics found = statisticsOf(graph, partitionOf(graph, {}));
    QCOMPARE(found.subgraphs, std::size_t(0));
    QCOMPARE(found.mean, 0.0);
    QVERIFY(found.acyclic);
}

void PartitionTest::cyclesAreFound()
{
    const Graph graph = chain(3);
    QVERIFY(isAcyclic(graph, partitionOf(graph, {{0, 1, 2}})));
    QVERIFY(isAcyclic(graph, partitionOf(graph, {{0}, {1}, {2}})));
    QVERIFY(!isAcyclic(graph, partitionOf(graph, {{0, 2}, {1}})));
}

void PartitionTest::acyclicityAgreesWithReachability()
{
    // Definition 1, literally: no two subgraphs with paths both ways.
    int cyclic = 0, acyclic = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        test::Random random(seed);
        test::RandomGraphOptions options;
        options.nodes = 4 + std::uint32_t(test::below(random, 12));
        const Graph graph = test::randomGraph(random, options);
        const auto count = std::uint32_t(2 + test::below(random, options.nodes - 2));
        std::vector<std::vector<std::uint32_t>> parts(count);
        for (std::uint32_t i = 0; i < graph.nodeCount(); ++i) // mostly neighbours together
            parts[test::chance(random, 0.15) ? test::below(random, count)
                                             : (i * count) / graph.nodeCount()]
                .push_back(i);
        std::erase_if(parts, [](const auto &part) { return part.empty(); });
        const Partition partition = partitionOf(graph, parts);
        const std::size_t n = partition.subgraphs.size();
        std::vector<std::vector<char>> reaches(n, std::vector<char>(n, 0));
        for (const NodeId id : graph.order())
            for (const NodeId next : graph.successors(id))
                reaches[partition.subgraphOf[id.index]][partition.subgraphOf[next.index]] = 1;
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t i = 0; i < n; ++i)
                for (std::size_t j = 0; j < n; ++j)
                    reaches[i][j] = reaches[i][j] || (reaches[i][k] && reaches[k][j]);
        bool expected = true;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < i; ++j)
                expected = expected && !(reaches[i][j] && reaches[j][i]);
        QVERIFY2(isAcyclic(graph, partition) == expected, qPrintable(QString("seed %1").arg(seed)));
        ++(expected ? acyclic : cyclic);
    }
    QVERIFY2(cyclic > 50 && acyclic > 50, qPrintable(QString("%1, %2").arg(cyclic).arg(acyclic)));
}

void PartitionTest::validPartitionsPass()
{
    const Graph graph = chain(4);
    QCOMPARE(refusal(graph, partitionOf(graph, {{0, 1}, {2, 3}})), "none");
    Partition heavy = partitionOf(graph, {{0}, {1}, {2}, {3}});
    heavy.subgraphs[1].weight = 1000; // one node cannot be split
    QCOMPARE(refusal(graph, heavy), "none");
    Partition free = partitionOf(graph, {{0, 1, 2, 3}});
    free.threshold = 0; // none
    free.subgraphs[0].weight = 1000;
    QCOMPARE(refusal(graph, free), "none");
}

void PartitionTest::defectsAreNamed()
{
    const Graph graph = chain(4);
    const auto broken = [&](auto parts, auto change) {
        Partition partition = partitionOf(graph, parts);
        change(partition);
        const auto checked = checkPartition(graph, partition);
        if (!checked && checked.error().kind != Error::Kind::Fault)
            return QString("not a fault");
        return refusal(graph, partition);
    };
    const auto nothing = [](Partition &) {};
    using Parts = std::vector<std::vector<std::uint32_t>>;
    QVERIFY(broken(Parts{{0, 1}, {2}}, nothing).contains("\"n3\" is not in any subgraph"));
    QVERIFY(broken(Parts{{0, 1}, {1, 2, 3}}, nothing).contains("\"n1\" is in subgraphs 0 and 1"));
    QVERIFY(broken(Parts{{0, 1}, {}, {2, 3}}, nothing).contains("subgraph 1 is empty"));
    QVERIFY(broken(Parts{{0, 2}, {1}, {3}}, nothing).contains("cycle"));
    QVERIFY(broken(Parts{{1, 2, 3}, {0}}, nothing).contains("precedes"));
    QVERIFY(broken(Parts{{1, 0}, {2, 3}}, nothing).contains("order"));
    QVERIFY(broken(Parts{{0, 1}, {2, 3}}, [](Partition &p) {
                p.subgraphs[1].weight = 10;
            }).contains("subgraph 1 has the weight 10"));
    QVERIFY(broken(Parts{{0, 1}, {2, 3}}, [](Partition &p) {
                p.subgraphs[0].weight = std::nan("");
            }).contains("subgraph 0 has the weight"));
    QVERIFY(
        broken(Parts{{0, 1}, {2, 3}}, [](Partition &p) { p.subgraphOf[0] = 1; }).contains("index"));
    QVERIFY(broken(Parts{{0, 1}, {2, 3}}, [](Partition &p) {
                p.subgraphs[1].nodes.push_back({77});
            }).contains("not in the graph"));
}

GRAPHLOOM_TESTS(PartitionTest)

} // namespace graphloom::test::partition_test

#include "partition_test.moc"
