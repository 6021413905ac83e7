// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph_part.h"
#include "tests/support/graph_parts.h"
#include "tests/support/random_graph.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::graph_part_test {

namespace {

/// Returns the names of the tensors that a node reads and writes; "" for an omitted one.
std::vector<std::string> namesAt(const Graph &graph, NodeId id)
{
    std::vector<std::string> names;
    const Node &node = graph.node(id);
    for (const auto *list : {&node.inputs, &node.captures, &node.outputs})
        for (const TensorId tensor : *list)
            names.push_back(tensor.valid() ? graph.tensor(tensor).name : "");
    return names;
}

std::vector<NodeId> someOf(const Graph &graph, Random &random)
{
    std::vector<NodeId> nodes;
    for (const NodeId id : graph.order())
        if (below(random, 3) == 0)
            nodes.push_back(id);
    return nodes;
}

} // namespace

class GraphPartTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesKeepWhatTheyReadAndWrite()
    {
        for (std::uint64_t seed = 0; seed < 200; ++seed) {
            Random random(seed);
            const Graph graph = randomGraph(random);
            const GraphPart part = partOf(graph, someOf(graph, random));
            const auto made = graphOf(part);
            QVERIFY2(made, made ? "" : made.error().text().c_str());
            QVERIFY2(defectOf(made->graph).empty(), qPrintable(QString::number(seed)));
            QCOMPARE(made->nodes.size(), part.nodes.size());
            for (const auto &[id, here] : made->nodes) {
                QCOMPARE(made->graph.node(here).op, graph.node(id).op);
                QCOMPARE(namesAt(made->graph, here), namesAt(graph, id));
            }
        }
    }

    void valuesFromOutsideAreWritten()
    {
        const Chain chain;
        const auto made = graphOf(partOf(chain.graph, std::array{chain.second}));
        QVERIFY(made);
        QCOMPARE(made->graph.nodeCount(), std::size_t(2));
        QVERIFY(made->graph.inputs().empty());
        QCOMPARE(made->graph.outputs().size(), std::size_t(1));
        const NodeId second = made->nodes.at(chain.second);
        QCOMPARE(made->graph.predecessors(second).size(), std::size_t(1));
    }

    void inputsOfTheGraphAreInputs()
    {
        const Chain chain;
        const auto made = graphOf(partOf(chain.graph, std::array{chain.first}));
        QVERIFY(made);
        QCOMPARE(made->graph.nodeCount(), std::size_t(1));
        QCOMPARE(made->graph.inputs().size(), std::size_t(1));
        QVERIFY(made->graph.outputs().empty());
    }

    void nothingMayBeMissing()
    {
        const Chain chain;
        const GraphPart part = partOf(chain.graph, std::array{chain.first, chain.second});
        QVERIFY(part.isComplete());
        GraphPart without = part;
        without.tensors.erase(chain.a);
        QVERIFY(!without.isComplete());
        without = part;
        without.nodes[chain.first] = nullptr;
        QVERIFY(!without.isComplete());
        without = part;
        without.inputs.push_back(TensorId{1000});
        QVERIFY(!without.isComplete());
    }

    /// What was edited away stays in a part.
    void partsOutliveGraphs()
    {
        GraphPart part;
        {
            const Chain chain;
            part = partOf(chain.graph, std::array{chain.first});
        }
        QCOMPARE(part.nodes.begin()->second->op, "A");
    }
};

GRAPHLOOM_TESTS(GraphPartTest)

} // namespace graphloom::test::graph_part_test

#include "graph_part_test.moc"
