// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/graph_comparison.h"

#include "tests/support/attribute.h"
#include "tests/support/random_graph.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <span>

namespace graphloom::test::graph_comparison_test {

namespace {

QByteArray seedText(std::uint64_t seed)
{
    return "seed " + QByteArray::number(qulonglong(seed));
}

/// x -> Relu -> Conv -> Relu -> y, with different weights in each convolution.
Graph convolutions(std::size_t count, float firstWeight = 1)
{
    Sketch g;
    TensorId x = g.input("x", {1, 4, 8, 8});
    for (std::size_t i = 0; i < count; ++i)
        x = g.call("Relu", {g.call("Conv", {x, g.weight({4, 4, 3, 3}, firstWeight + float(i))},
                                   {ints("pads", {1, 1, 1, 1})})});
    return g.finish({x});
}

/// Equal convolutions, each of which halves the extents.
Graph halving(std::int64_t extent)
{
    Sketch g;
    TensorId x = g.input("x", {1, 4, extent, extent});
    for (int i = 0; i < 4; ++i)
        x = g.call("Conv", {x, g.weight({4, 4, 2, 2}, 1)}, {ints("strides", {2, 2})});
    return g.finish({x});
}

std::size_t differing(const GraphComparison &comparison)
{
    return comparison.nodes.size() - comparison.count(Difference::Same);
}

std::string allChanges(const GraphComparison &comparison)
{
    std::string text;
    for (const NodeDifference &node : comparison.nodes)
        for (const std::string &change : node.changes)
            text += change + "\n";
    return text;
}

/// A node in the middle whose one output others read, which reads one computed tensor.
NodeId middleNode(const Graph &graph, Random &random)
{
    for (int tries = 0; tries < 1000; ++tries) {
        const NodeId id = graph.order()[below(random, graph.nodeCount())];
        const Node &node = graph.node(id);
        if (node.inputs.size() == 1 && node.outputs.size() == 1 && node.captures.empty() &&
            node.inputs[0].valid() && graph.producer(node.inputs[0]).valid() &&
            !graph.uses(node.outputs[0]).empty() && !graph.isOutput(node.outputs[0]))
            return id;
    }
    return {};
}

Graph finished(GraphEditor editor)
{
    auto graph = std::move(editor).finish();
    if (!graph)
        qFatal("%s", graph.error().text().c_str());
    return *std::move(graph);
}

} // namespace

class GraphComparisonTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aGraphIsTheSameAsItself();
    void namesAndOrderDoNotMatter();
    void largeGraphsMatchUnderOtherNames_data();
    void largeGraphsMatchUnderOtherNames();
    void anAddedNodeIsFound();
    void aRemovedNodeIsFound();
    void aChangedAttributeIsFound();
    void anotherOperatorInTheSamePlaceIsAChange();
    void changedWeightsAreFoundByTheirElements();
    void weightsThatAreKeptElsewhereAreTheSame();
    void anotherInputIsAChange();
    void atAnotherResolutionNodesKeepTheirPlaces();
    void aNumberedInsertionDoesNotShiftAllNames();
    void originsAlignWhatNothingElseDoes();
    void anAddedInputIsTold();
    void theUnionHasAllNodesOnce();
    void theUnionOfRandomGraphsIsAGraph();
};

void GraphComparisonTest::aGraphIsTheSameAsItself()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const GraphComparison comparison = compare(graph, graph);
        QVERIFY2(comparison.isSame(), seedText(seed) + allChanges(comparison).c_str());
        QVERIFY2(graph.nodeCount() > 0, seedText(seed));
        for (const NodeId id : graph.order())
            QVERIFY2(comparison.alignment.now(id).valid(), seedText(seed));
    }
}

void GraphComparisonTest::namesAndOrderDoNotMatter()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const Graph other = rebuilt(graph, random);
        const GraphComparison comparison = compare(graph, other);
        QVERIFY2(differing(comparison) == 0,
                 seedText(seed) + ": " + QByteArray::number(qulonglong(differing(comparison))) +
                     " differ; " + allChanges(comparison).c_str());
    }
}

void GraphComparisonTest::largeGraphsMatchUnderOtherNames_data()
{
    QTest::addColumn<int>("kind");
    QTest::newRow("ResNet") << 0;
    QTest::newRow("transformer with a mask") << 1;
    QTest::newRow("U-Net") << 2;
}

void GraphComparisonTest::largeGraphsMatchUnderOtherNames()
{
    QFETCH(int, kind);
    const Graph graph = kind == 0   ? test::resNetLike(2000)
                        : kind == 1 ? test::transformer(2000, true)
                                    : test::unet(2000);
    Random random(7);
    const GraphComparison comparison = compare(graph, rebuilt(graph, random));
    QCOMPARE(comparison.count(Difference::Same), graph.nodeCount());
    QCOMPARE(comparison.nodes.size(), graph.nodeCount());
}

void GraphComparisonTest::anAddedNodeIsFound()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const NodeId place = middleNode(graph, random);
        if (!place.valid())
            continue;
        GraphEditor editor(graph);
        const TensorId between = graph.node(place).inputs[0];
        Tensor tensor = graph.tensor(between);
        tensor.name = "inserted";
        Node added;
        added.op = "Inserted";
        added.inputs = {between};
        added.outputs = {editor.addTensor(std::move(tensor))};
        Node reader = graph.node(place);
        reader.inputs = added.outputs;
        editor.addNode(std::move(added));
        editor.replaceNode(place, std::move(reader));
        const Graph other = rebuilt(finished(std::move(editor)), random);
        const GraphComparison comparison = compare(graph, other);
        QVERIFY2(comparison.count(Difference::Added) == 1 && differing(comparison) == 1,
                 seedText(seed) + allChanges(comparison).c_str());
    }
}

void GraphComparisonTest::aRemovedNodeIsFound()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const NodeId place = middleNode(graph, random);
        if (!place.valid())
            continue;
        GraphEditor editor(graph);
        const Node node = graph.node(place);
        editor.replaceUses(node.outputs[0], node.inputs[0]);
        editor.removeNode(place);
        editor.removeTensor(node.outputs[0]);
        const Graph other = finished(std::move(editor));
        const GraphComparison comparison = compare(graph, other);
        QVERIFY2(comparison.count(Difference::Removed) == 1, seedText(seed));
        QVERIFY2(comparison.count(Difference::Added) == 0, seedText(seed));
        std::vector<NodeId> removed;
        for (const NodeDifference &difference : comparison.nodes)
            if (difference.kind == Difference::Removed)
                removed.push_back(difference.before);
        QVERIFY2(removed == std::vector{place}, seedText(seed));
    }
}

void GraphComparisonTest::aChangedAttributeIsFound()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph graph = randomGraph(random);
        const NodeId place = graph.order()[below(random, graph.nodeCount())];
        Node node = graph.node(place);
        node.attributes = node.attributes.with("changed", std::int64_t{77});
        const auto other = graph.with(place, std::move(node));
        QVERIFY(other);
        const GraphComparison comparison = compare(graph, *other);
        QVERIFY2(comparison.count(Difference::Changed) == 1 && differing(comparison) == 1,
                 seedText(seed));
        QCOMPARE(allChanges(comparison), std::string("attribute changed is 77, was not set\n"));
    }
}

void GraphComparisonTest::anotherOperatorInTheSamePlaceIsAChange()
{
    const Graph graph = convolutions(4);
    const NodeId relu = graph.order()[3];
    Node node = graph.node(relu);
    node.op = node.name = "Sigmoid";
    const auto other = graph.with(relu, std::move(node));
    QVERIFY(other);
    Random random(3);
    const GraphComparison comparison = compare(graph, rebuilt(*other, random));
    QCOMPARE(differing(comparison), std::size_t(1));
    QCOMPARE(allChanges(comparison), std::string("operator is Sigmoid, was Relu\n"));
}

void GraphComparisonTest::changedWeightsAreFoundByTheirElements()
{
    const Graph graph = convolutions(3);
    GraphEditor editor(graph);
    const TensorId weight = graph.node(graph.order()[2]).inputs[1];
    editor.setTensor(weight, Tensor::of(graph.tensor(weight).name, test::splat(9, {4, 4, 3, 3})));
    const GraphComparison comparison = compare(graph, finished(std::move(editor)));
    QCOMPARE(comparison.count(Difference::Changed), std::size_t(1));
    QCOMPARE(differing(comparison), std::size_t(1));
    QVERIFY2(allChanges(comparison).find("144 of 144 elements differ, by up to 7") !=
                 std::string::npos,
             allChanges(comparison).c_str());
    QCOMPARE(comparison.tensors.size(), std::size_t(1));
    QCOMPARE(comparison.tensors[0].role, TensorDifference::Role::Constant);
}

void GraphComparisonTest::weightsThatAreKeptElsewhereAreTheSame()
{
    const std::vector<float> values(64, 0.25f);
    const auto graphOf = [&](TensorData data) {
        Sketch g;
        const TensorId x = g.input("x", {64});
        return g.finish({g.call("Mul", {x, g.constant(std::move(data))})});
    };
    // As weights of two files are: each with an identity of its own.
    const auto owner = std::make_shared<const std::vector<float>>(values);
    const auto mapped = [&](std::uint64_t identity) {
        return TensorData::fromMapped(DataType::Float, {64}, std::as_bytes(std::span(*owner)),
                                      owner, identity);
    };
    QVERIFY(compare(graphOf(mapped(1)), graphOf(mapped(2))).isSame());
    QVERIFY(compare(graphOf(mapped(1)), graphOf(test::floats({64}, values))).isSame());
    QVERIFY(compare(graphOf(mapped(1)), graphOf(test::splat(0.25f, {64}))).isSame());
    QVERIFY(!compare(graphOf(mapped(1)), graphOf(test::splat(0.5f, {64}))).isSame());
}

void GraphComparisonTest::anotherInputIsAChange()
{
    const auto graphOf = [](bool crossed) {
        Sketch g;
        const TensorId x = g.input("x", {4}), y = g.input("y", {4});
        const TensorId a = g.call("Relu", {x}), b = g.call("Neg", {y});
        return g.finish({g.call("Sub", {crossed ? b : a, crossed ? a : b})});
    };
    const GraphComparison comparison = compare(graphOf(false), graphOf(true));
    QCOMPARE(differing(comparison), std::size_t(1));
    QVERIFY2(allChanges(comparison).find("input 0 is Neg") != std::string::npos,
             allChanges(comparison).c_str());
}

void GraphComparisonTest::atAnotherResolutionNodesKeepTheirPlaces()
{
    // The results of one are as large as those of the next at the other resolution.
    Random random(1);
    const Graph large = halving(64), small = rebuilt(halving(32), random);
    const GraphComparison comparison = compare(large, small);
    QCOMPARE(comparison.count(Difference::Changed), large.nodeCount());
    for (const NodeId id : large.order())
        QCOMPARE(small.position(comparison.alignment.now(id)), large.position(id));
}

void GraphComparisonTest::aNumberedInsertionDoesNotShiftAllNames()
{
    // As exporters number nodes: behind what was inserted each has the name of the one before.
    const auto numbered = [](const Graph &graph) {
        GraphEditor editor(graph);
        for (std::size_t i = 0; i < graph.nodeCount(); ++i) {
            Node node = graph.node(graph.order()[i]);
            node.name = "n" + std::to_string(i);
            Tensor tensor = graph.tensor(node.outputs[0]);
            if (!graph.isOutput(node.outputs[0]))
                tensor.name = std::to_string(i);
            editor.setTensor(node.outputs[0], std::move(tensor));
            editor.replaceNode(graph.order()[i], std::move(node));
        }
        return finished(std::move(editor));
    };
    Sketch g;
    TensorId x = g.call("Relu", {g.input("x", {1, 4, 8, 8})});
    for (std::size_t i = 0; i < 12; ++i)
        x = g.call("Relu", {g.call("Conv", {x, g.weight({4, 4, 3, 3}, 1 + float(i))},
                                   {ints("pads", {1, 1, 1, 1})})});
    const GraphComparison comparison = compare(numbered(convolutions(12)), numbered(g.finish({x})));
    QCOMPARE(comparison.count(Difference::Added), std::size_t(1));
    QCOMPARE(differing(comparison), std::size_t(1));
}

void GraphComparisonTest::originsAlignWhatNothingElseDoes()
{
    Sketch g, h;
    const TensorId x = g.input("x", {4}), y = h.input("other", {4});
    const Graph before = g.finish({g.call("Neg", {g.call("Exp", {x})})});
    const Graph now = h.finish({h.call("Abs", {h.call("Exp", {h.call("Exp", {y})})})});
    AlignmentHints hints;
    hints.before = {{10}, {11}};
    hints.now = {{10}, {12}, {11}};
    const GraphComparison comparison = compare(before, now, hints);
    QCOMPARE(comparison.alignment.now(before.order()[0]), now.order()[0]);
    QCOMPARE(comparison.alignment.now(before.order()[1]), now.order()[2]);
    QCOMPARE(comparison.count(Difference::Added), std::size_t(1));
}

void GraphComparisonTest::anAddedInputIsTold()
{
    const auto graphOf = [](bool more) {
        Sketch g;
        const TensorId x = g.input("x", {4});
        const TensorId y = g.call("Relu", {x});
        return more ? g.finish({y, g.call("Neg", {g.input("second", {4})})}) : g.finish({y});
    };
    const GraphComparison comparison = compare(graphOf(false), graphOf(true));
    QCOMPARE(comparison.tensors.size(), std::size_t(2));
    QCOMPARE(comparison.tensors[0].role, TensorDifference::Role::Input);
    QCOMPARE(comparison.tensors[0].kind, Difference::Added);
    QCOMPARE(comparison.tensors[1].role, TensorDifference::Role::Output);
    QCOMPARE(comparison.count(Difference::Added), std::size_t(1));
}

void GraphComparisonTest::theUnionHasAllNodesOnce()
{
    const Graph before = convolutions(3);
    GraphEditor editor(before);
    const NodeId relu = before.order()[3];
    const Node node = before.node(relu);
    editor.replaceUses(node.outputs[0], node.inputs[0]);
    editor.removeNode(relu);
    editor.removeTensor(node.outputs[0]);
    const GraphComparison comparison = compare(before, finished(std::move(editor)));
    const auto united = unionOf(comparison);
    QVERIFY(united);
    QCOMPARE(united->graph.nodeCount(), before.nodeCount());
    const NodeId gone = united->removed[relu.index];
    QVERIFY(gone.valid());
    // Lines lead from what it read to it, and from it to what read it.
    QCOMPARE(united->graph.predecessors(gone), before.predecessors(relu));
    QCOMPARE(united->graph.successors(gone).size(), std::size_t(1));
    QCOMPARE(united->graph.successors(gone)[0], before.order()[4]);
}

void GraphComparisonTest::theUnionOfRandomGraphsIsAGraph()
{
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        const Graph before = randomGraph(random), now = randomGraph(random);
        const GraphComparison comparison = compare(before, now);
        const auto united = unionOf(comparison);
        QVERIFY2(united, seedText(seed));
        QVERIFY2(united->graph.nodeCount() == comparison.nodes.size(), seedText(seed));
        QVERIFY2(defectOf(united->graph).empty(), seedText(seed));
    }
}

GRAPHLOOM_TESTS(GraphComparisonTest)

} // namespace graphloom::test::graph_comparison_test

#include "graph_comparison_test.moc"
