// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/kernel_key.h"

#include "tests/support/attribute.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <random>

namespace graphloom::test::kernel_key_test {

namespace {

const Opsets opsets = [](std::string_view) { return std::int64_t{17}; };

ProfileKey keyOf(const Graph &graph, const std::vector<NodeId> &nodes)
{
    const auto key = kernelKeyOf(graph, opsets, nodes);
    if (!key)
        qFatal("%s", key.error().text().c_str());
    return *key;
}

ProfileKey keyOfAll(const Graph &graph)
{
    return keyOf(graph, {graph.order().begin(), graph.order().end()});
}

/// One node on inputs of these shapes.
ProfileKey keyOfCall(const std::string &op, const std::vector<Shape> &shapes,
                     std::vector<Attribute> attributes = {})
{
    GraphMaker maker;
    std::vector<TensorId> inputs;
    for (const Shape &shape : shapes)
        inputs.push_back(maker.input("x" + std::to_string(inputs.size()), shape));
    const TensorId y = maker.call(op, inputs, shapes.front(), std::move(attributes));
    return keyOfAll(maker.finish({y}));
}

/// Pow(x, exponent).
ProfileKey keyOfPower(float exponent)
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {8});
    const TensorId e = maker.constant("e", floats({}, {exponent}));
    return keyOfAll(maker.finish({maker.call("Pow", {x, e}, {8})}));
}

/// Two layers with a residual connection each; `weight` fills their weights.
struct Layers {
    Graph graph;
    std::vector<NodeId> first, second;

    explicit Layers(float weight = 1)
    {
        GraphMaker maker;
        TensorId x = maker.input("x", {4, 8});
        for (auto *layer : {&first, &second}) {
            const std::size_t begin = maker.nodes.size();
            const TensorId w = maker.constant("w" + std::to_string(begin), splat(weight, {8, 8}));
            const TensorId y = maker.call("MatMul", {x, w}, {4, 8});
            x = maker.call("Add", {x, maker.call("Relu", {y}, {4, 8})}, {4, 8});
            layer->assign(maker.nodes.begin() + std::ptrdiff_t(begin), maker.nodes.end());
        }
        graph = maker.finish({x});
    }
};

} // namespace

class KernelKeyTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isReadable();
    void equalBlocksOfAGraph();
    void orderOfTheNodesDoesNotCount();
    void keysTellTheOperators();
    void weightsCountByType();
    void smallConstantsCountByValue();
    void attributesCount();
    void shapesAreApart();
    void whatIsReadTwice();
    void whatLeavesCounts();
    void innerResultThatLeavesCounts();
    void orderOfInputsCounts();
    void sharedResultsAreToldFromCopies();
    void randomOrdersOfResults();
    void symbolicExtentsAreRefused();
};

void KernelKeyTest::isReadable()
{
    const Layers layers;
    const ProfileKey key = keyOf(layers.graph, layers.first);
    QCOMPARE(key.structure, std::string("t0 = MatMul@1(x0, c1)\nt1 = Relu@1(t0)\n"
                                        "t2! = Add@7(x0, t1)\n"));
    QCOMPARE(key.shapes, std::string("float[4x8], float[8x8] -> float[4x8]"));
}

void KernelKeyTest::equalBlocksOfAGraph()
{
    const Layers layers;
    QVERIFY(keyOf(layers.graph, layers.first) == keyOf(layers.graph, layers.second));
    const std::vector<NodeId> part = {layers.first[0], layers.first[1]};
    QVERIFY(!(keyOf(layers.graph, part) == keyOf(layers.graph, layers.second)));
}

void KernelKeyTest::keysTellTheOperators()
{
    const Layers layers;
    const std::vector<NodeId> two(layers.first.begin(), layers.first.begin() + 2);
    for (const auto &nodes : {layers.first, layers.second, two})
        QCOMPARE(operatorsHash(keyOf(layers.graph, nodes)), operatorsHash(layers.graph, nodes));
    QVERIFY(operatorsHash(layers.graph, two) != operatorsHash(layers.graph, layers.first));
}

void KernelKeyTest::orderOfTheNodesDoesNotCount()
{
    const Layers layers;
    auto reversed = layers.first;
    std::ranges::reverse(reversed);
    QVERIFY(keyOf(layers.graph, layers.first) == keyOf(layers.graph, reversed));
}

void KernelKeyTest::weightsCountByType()
{
    QVERIFY(keyOfAll(Layers(1).graph) == keyOfAll(Layers(2).graph));
}

void KernelKeyTest::smallConstantsCountByValue()
{
    QVERIFY(keyOfPower(2) == keyOfPower(2));
    QVERIFY(keyOfPower(2).structure != keyOfPower(0.5).structure);
}

void KernelKeyTest::attributesCount()
{
    const std::vector<Shape> shapes = {{2, 3}};
    const auto along = [&](std::int64_t axis) {
        return keyOfCall("Softmax", shapes, {test::integer("axis", axis)}).structure;
    };
    QVERIFY(along(0) != along(1));
    QCOMPARE(along(1), std::string("t0! = Softmax@13{axis=1}(x0)\n"));
}

void KernelKeyTest::shapesAreApart()
{
    const ProfileKey small = keyOfCall("Relu", {{2, 3}}), large = keyOfCall("Relu", {{200, 3}});
    QCOMPARE(small.structure, large.structure);
    QVERIFY(small.shapes != large.shapes);
}

void KernelKeyTest::whatIsReadTwice()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {8});
    const ProfileKey square = keyOfAll(maker.finish({maker.call("Mul", {x, x}, {8})}));
    QVERIFY(square.structure != keyOfCall("Mul", {{8}, {8}}).structure);
}

void KernelKeyTest::whatLeavesCounts()
{
    const auto chain = [](bool both) {
        GraphMaker maker;
        const TensorId a = maker.call("Relu", {maker.input("x", {8})}, {8});
        const TensorId b = maker.call("Tanh", {a}, {8});
        return keyOfAll(maker.finish(both ? std::vector{a, b} : std::vector{b})).structure;
    };
    QVERIFY(chain(true) != chain(false));
}

void KernelKeyTest::innerResultThatLeavesCounts()
{
    GraphMaker maker;
    const TensorId a = maker.call("Relu", {maker.input("x", {8})}, {8});
    const TensorId b = maker.call("Tanh", {a}, {8});
    const auto nodes = maker.nodes;
    const TensorId c = maker.call("Add", {a, b}, {8}); // outside, reads both
    const ProfileKey key = keyOf(maker.finish({c}), nodes);
    QCOMPARE(key.structure, std::string("t0! = Relu@1(x0)\nt1! = Tanh@1(t0)\n"));
}

void KernelKeyTest::orderOfInputsCounts()
{
    const auto difference = [](bool swapped) {
        GraphMaker maker;
        const TensorId x = maker.input("x", {8});
        const TensorId y = maker.call("Relu", {x}, {8});
        return keyOfAll(maker.finish(
            {maker.call("Sub", swapped ? std::vector{y, x} : std::vector{x, y}, {8})}));
    };
    QVERIFY(!(difference(false) == difference(true)));
}

/// Two readers of one result, and one reader each of two that are computed alike.
void KernelKeyTest::sharedResultsAreToldFromCopies()
{
    const auto twoResults = [](bool shared) {
        GraphMaker maker;
        const TensorId x = maker.input("x", {8});
        const TensorId a = maker.call("Relu", {x}, {8});
        const TensorId b = shared ? a : maker.call("Relu", {x}, {8});
        return keyOfAll(maker.finish({maker.call("Tanh", {a}, {8}), maker.call("Erf", {b}, {8})}));
    };
    QVERIFY(twoResults(true).structure != twoResults(false).structure);
}

/// Blocks with several results, made in different orders, have one key.
void KernelKeyTest::randomOrdersOfResults()
{
    const std::vector<std::string> ops = {"Relu", "Tanh", "Erf", "Relu", "Sqrt", "Tanh"};
    std::vector<std::size_t> order(ops.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::mt19937 random(7);
    std::optional<ProfileKey> first;
    for (int round = 0; round < 20; ++round) {
        std::ranges::shuffle(order, random);
        GraphMaker maker;
        const TensorId x = maker.input("x", {8});
        std::vector<TensorId> outputs;
        for (const std::size_t i : order) {
            const TensorId value = maker.call(ops[i], {x}, {8});
            outputs.push_back(i < 3 ? maker.call("Neg", {value}, {8}) : value);
        }
        const ProfileKey key = keyOfAll(maker.finish(outputs));
        if (!first)
            first = key;
        QVERIFY2(key == *first, key.structure.c_str());
    }
}

void KernelKeyTest::symbolicExtentsAreRefused()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {Dim::symbol("batch"), 8});
    const Graph graph = maker.finish({maker.call("Relu", {x}, {Dim::symbol("batch"), 8})});
    const auto key = kernelKeyOf(graph, opsets, graph.order());
    QVERIFY(!key);
    QVERIFY(key.error().text().find("batch") != std::string::npos);
}

GRAPHLOOM_TESTS(KernelKeyTest)

} // namespace graphloom::test::kernel_key_test

#include "kernel_key_test.moc"
