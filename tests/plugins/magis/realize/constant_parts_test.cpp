// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/constant_parts.h"

#include "engine/interpreter/interpreter.h"
#include "tests/support/graph_parts.h"
#include "tests/support/sketch.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::constant_parts_test {

using test::Sketch;

namespace {

/// Rows of a weight and of an input, one part of each twice, each multiplied by the input.
struct Parts {
    Sketch s;
    TensorId x = s.input("x", {4, 4}), weight = s.randomWeight({4, 4});
    TensorId first = s.integers({0}), second = s.integers({2}), end = s.integers({4});

    Graph graph()
    {
        const TensorId upper = part(weight, first, second), lower = part(weight, second, end);
        const TensorId again = part(weight, first, second);
        std::vector<TensorId> sums;
        for (const TensorId rows : {upper, lower, again})
            sums.push_back(s.call("Add", {part(x, first, second), rows}));
        return s.finish(std::move(sums));
    }

private:
    TensorId part(TensorId of, TensorId begin, TensorId to)
    {
        return s.call("Slice", {of, begin, to, first});
    }
};

Graph folded(const Graph &graph)
{
    auto result = magis::withConstantParts(graph, test::sketchOpset);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

std::vector<std::string> operatorsOf(const Graph &graph)
{
    std::vector<std::string> operators;
    for (const NodeId id : graph.order())
        operators.push_back(graph.node(id).op);
    return operators;
}

} // namespace

class ConstantPartsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void partsOfConstantsAreConstants();
    void equalPartsAreOneConstant();
    void theOrderOfTheRestStays();
    void theResultsStay();
    void otherConstantsStay();
    void loadsComeBeforeWhatStays();
};

void ConstantPartsTest::partsOfConstantsAreConstants()
{
    const Graph graph = Parts().graph();
    QCOMPARE(test::countOf(graph, "Slice"), 6);
    QCOMPARE(test::countOf(folded(graph), "Slice"), 3); // those of x
}

void ConstantPartsTest::equalPartsAreOneConstant()
{
    const Graph graph = folded(Parts().graph());
    const auto sums = graph.outputs();
    const auto rowsOf = [&](std::size_t sum) {
        return graph.node(graph.producer(sums[sum])).inputs[1];
    };
    QVERIFY(graph.tensor(rowsOf(0)).constant);
    QCOMPARE(rowsOf(0), rowsOf(2));
    QVERIFY(rowsOf(0) != rowsOf(1));
}

void ConstantPartsTest::theOrderOfTheRestStays()
{
    QCOMPARE(operatorsOf(folded(Parts().graph())),
             (std::vector<std::string>{"Slice", "Add", "Slice", "Add", "Slice", "Add"}));
}

void ConstantPartsTest::theResultsStay()
{
    const Graph graph = Parts().graph();
    const auto inputs = randomInputs(graph, 1);
    QVERIFY(inputs);
    QCOMPARE(interpret(folded(graph), test::sketchOpset, *inputs).value(),
             interpret(graph, test::sketchOpset, *inputs).value());
}

/// What was left to be computed, since it is large, stays so.
void ConstantPartsTest::otherConstantsStay()
{
    Sketch s;
    const TensorId x = s.input("x", {2, 2}), weight = s.randomWeight({4, 2});
    const TensorId from = s.integers({0}), to = s.integers({2});
    const TensorId rows = s.call("Slice", {weight, from, to, from});
    const TensorId large = s.call("Expand", {weight, s.integers({64, 4, 2})});
    const Graph graph = s.finish({s.call("Add", {x, rows}), s.call("ReduceSum", {large, to})});
    QCOMPARE(operatorsOf(folded(graph)), (std::vector<std::string>{"Expand", "Add", "ReduceSum"}));
}

/// What is loaded before a part of a weight was taken is loaded before the next node.
void ConstantPartsTest::loadsComeBeforeWhatStays()
{
    magis::Realized realized;
    realized.graph = Parts().graph();
    const Graph &graph = realized.graph;
    realized.origins.resize(graph.nodeBound());
    realized.originals.resize(graph.tensorBound());
    const auto order = graph.order();
    const auto slice = std::ranges::find_if(order, [&](NodeId id) {
        return graph.node(id).op == "Slice" && graph.tensor(graph.node(id).inputs[0]).constant;
    });
    const auto next = std::ranges::find_if(slice, order.end(), [&](NodeId id) {
        return !graph.tensor(graph.node(id).inputs[0]).constant;
    });
    const NodeId expected = *next;
    realized.swaps.push_back({graph.inputs().front(), *slice});
    const auto folded = magis::withConstantParts(std::move(realized), test::sketchOpset);
    QVERIFY(folded);
    QCOMPARE(folded->swaps.front().loadedBefore, expected);
}

GRAPHLOOM_TESTS(ConstantPartsTest)

} // namespace graphloom::test::constant_parts_test

#include "constant_parts_test.moc"
