// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/fold.h"
#include "tests/support/graph_maker.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <set>

namespace graphloom::test::fold_test {

using test::floats;
using test::GraphMaker;
using test::splat;

namespace {

Graph folded(const Graph &graph, std::uint64_t maxBytes = 1 << 20)
{
    auto result = foldConstants(
        graph, [](std::string_view) { return std::int64_t(17); }, maxBytes);
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

/// The operators that are left, in order.
QString operatorsOf(const Graph &graph)
{
    QStringList names;
    for (const NodeId id : graph.order())
        names << QString::fromStdString(graph.node(id).op);
    return names.join(' ');
}

/// A graph of one call of what it captures, or, without operator, of the captured tensor alone.
GraphPointer branchOf(const std::string &op)
{
    GraphMaker maker;
    const TensorId x = maker.captured("x", {4});
    return std::make_shared<const Graph>(maker.finish({op.empty() ? x : maker.call(op, {x}, {4})}));
}

/// If(condition) then x, else its square root.
TensorId branchingOn(GraphMaker &maker, TensorId condition, TensorId x)
{
    const TensorId y =
        maker.call("If", {condition}, {4},
                   {{"then_branch", branchOf("")}, {"else_branch", branchOf("Sqrt")}}, {x, x});
    return y;
}

TensorData truth(bool value)
{
    const auto byte = std::byte(value);
    return TensorData::fromBytes(DataType::Bool, {}, {byte});
}

/// The second input of the graph's only node.
const Tensor &operandOf(const Graph &graph)
{
    return graph.tensor(graph.node(graph.order().front()).inputs.at(1));
}

} // namespace

class FoldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void computesWhatDependsOnConstants();
    void keepsWhatDependsOnInputs();
    void passedConstantStaysOneTensor();
    void outputOfTheGraphKeepsItsName();
    void reshapedConstantSharesItsData();
    void partOfAConstant();
    void movedSplatStaysSplat();
    void constantsThatTellShapesFoldFurther();
    void knownConditionLeavesOneBranch_data();
    void knownConditionLeavesOneBranch();
    void branchThatIsAnOutputKeepsItsName();
    void unknownConditionIsLeft();
    void insertedTensorsHaveNamesOfTheirOwn();
    void largeResultsAreLeft();
    void randomNumbersAreLeft();
};

void FoldTest::computesWhatDependsOnConstants()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2});
    const TensorId a = maker.constant("a", floats({2}, {1, 2}));
    const TensorId b = maker.constant("b", floats({2}, {10, 20}));
    const TensorId sum = maker.call("Add", {a, b}, {2});
    const Graph graph = folded(maker.finish({maker.call("Mul", {x, sum}, {2})}));
    QCOMPARE(operatorsOf(graph), "Mul");
    QVERIFY(operandOf(graph).constant);
    QCOMPARE(*operandOf(graph).constant, floats({2}, {11, 22}));
    QVERIFY(!graph.contains(a)); // nobody reads it any more
}

void FoldTest::keepsWhatDependsOnInputs()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2});
    const TensorId a = maker.constant("a", floats({2}, {1, 2}));
    const Graph graph = maker.finish({maker.call("Relu", {maker.call("Add", {x, a}, {2})}, {2})});
    QCOMPARE(folded(graph).hash(), graph.hash());
}

void FoldTest::passedConstantStaysOneTensor()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 4});
    const TensorId weight = maker.constant("shared weight", splat(0.5f, {4, 4}));
    TensorId y = x;
    for (int layer = 0; layer < 3; ++layer) // as exporters write weights that layers share
        y = maker.call("MatMul", {y, maker.call("Identity", {weight}, {4, 4})}, {2, 4});
    const Graph graph = folded(maker.finish({y}));
    QCOMPARE(operatorsOf(graph), "MatMul MatMul MatMul");
    for (const NodeId id : graph.order())
        QCOMPARE(graph.node(id).inputs.at(1), weight);
}

void FoldTest::outputOfTheGraphKeepsItsName()
{
    GraphMaker maker;
    const TensorId weight = maker.constant("weight", splat(0.5f, {4}));
    const TensorId output = maker.call("Identity", {weight}, {4});
    const Graph graph = folded(maker.finish({output}));
    QCOMPARE(graph.outputs().front(), output);
    QVERIFY(graph.tensor(output).constant);
}

void FoldTest::reshapedConstantSharesItsData()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 2});
    const TensorId weight = maker.constant("weight", floats({4}, {1, 2, 3, 4}));
    const auto *bytes = maker.editor.graph().tensor(weight).constant->bytes().data();
    const TensorId square = maker.call(
        "Reshape", {weight, maker.constant("to", TensorData::fromInt64s({2, 2}))}, {2, 2});
    const Graph graph = folded(maker.finish({maker.call("Add", {x, square}, {2, 2})}));
    QCOMPARE(operatorsOf(graph), "Add");
    QCOMPARE(operandOf(graph).constant->bytes().data(), bytes);
    QCOMPARE(operandOf(graph).constant->extents().size(), std::size_t(2));
}

void FoldTest::partOfAConstant()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2});
    const TensorId w = maker.constant("w", floats({4}, {1, 2, 3, 4}));
    const TensorId start = maker.constant("start", TensorData::fromInt64s({1}));
    const TensorId end = maker.constant("end", TensorData::fromInt64s({3}));
    const TensorId part = maker.call("Slice", {w, start, end}, {2});
    const Tensor operand = operandOf(folded(maker.finish({maker.call("Add", {x, part}, {2})})));
    QVERIFY(operand.constant && *operand.constant == floats({2}, {2, 3}));
}

void FoldTest::movedSplatStaysSplat()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {8, 4});
    const TensorId weight = maker.constant("weight", splat(0.5f, {4, 8}));
    const TensorId turned = maker.call("Transpose", {weight}, {8, 4});
    const Graph graph = folded(maker.finish({maker.call("Add", {x, turned}, {8, 4})}), 1);
    QCOMPARE(operatorsOf(graph), "Add");
    QVERIFY(operandOf(graph).constant->isSplat());
}

void FoldTest::constantsThatTellShapesFoldFurther()
{
    // How long the range is follows from real numbers: known only after they are folded.
    GraphMaker maker;
    const TensorId x = maker.input("x", {1});
    const TensorId half = maker.constant("half", floats({}, {2.5f}));
    const TensorId five = maker.call("Add", {half, half}, {});
    const TensorId range = maker.call(
        "Range", {maker.constant("0", floats({}, {0})), five, maker.constant("1", floats({}, {1}))},
        {Dim::symbol("n")});
    const TensorId size = maker.call("ReduceSum", {range}, {1});
    const Graph graph = folded(maker.finish({maker.call("Mul", {x, size}, {1})}));
    QCOMPARE(operatorsOf(graph), "Mul");
    QCOMPARE(*operandOf(graph).constant, floats({1}, {10}));
}

void FoldTest::knownConditionLeavesOneBranch_data()
{
    QTest::addColumn<bool>("condition");
    QTest::addColumn<QString>("left");
    QTest::newRow("then") << true << "Neg Abs";
    QTest::newRow("else") << false << "Neg Sqrt Abs";
}

void FoldTest::knownConditionLeavesOneBranch()
{
    QFETCH(bool, condition);
    QFETCH(QString, left);
    GraphMaker maker;
    const TensorId x = maker.call("Neg", {maker.input("x", {4})}, {4});
    const TensorId y = branchingOn(maker, maker.constant("condition", truth(condition)), x);
    const Graph graph = folded(maker.finish({maker.call("Abs", {y}, {4})}));
    QCOMPARE(operatorsOf(graph), left);
    for (const NodeId id : graph.order())
        QCOMPARE(*graph.tensor(graph.node(id).outputs.front()).shape, Shape{4});
}

void FoldTest::branchThatIsAnOutputKeepsItsName()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId y = branchingOn(maker, maker.constant("condition", truth(true)), x);
    const Graph graph = folded(maker.finish({y}));
    QCOMPARE(operatorsOf(graph), "Identity");
    QCOMPARE(graph.outputs().front(), y);
}

void FoldTest::unknownConditionIsLeft()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {4});
    const TensorId condition = maker.call("IsThisTrue", {x}, {}); // nobody knows
    const Graph graph = folded(maker.finish({branchingOn(maker, condition, x)}));
    QCOMPARE(operatorsOf(graph), "IsThisTrue If");
}

void FoldTest::insertedTensorsHaveNamesOfTheirOwn()
{
    GraphMaker maker;
    const TensorId no = maker.constant("condition", truth(false));
    TensorId y = maker.input("x", {4});
    for (int i = 0; i < 3; ++i)
        y = branchingOn(maker, no, y);
    const Graph graph = folded(maker.finish({maker.call("Abs", {y}, {4})}));
    QCOMPARE(operatorsOf(graph), "Sqrt Sqrt Sqrt Abs");
    std::set<std::string> names;
    for (const NodeId id : graph.order())
        names.insert(graph.tensor(graph.node(id).outputs.front()).name);
    QCOMPARE(names.size(), std::size_t(4));
}

void FoldTest::largeResultsAreLeft()
{
    GraphMaker maker;
    const TensorId x = maker.input("x", {2, 2});
    const TensorId weight = maker.constant("weight", floats({2, 2}, {1, 2, 3, 4}));
    const TensorId turned = maker.call("Transpose", {weight}, {2, 2});
    const Graph graph = maker.finish({maker.call("Add", {x, turned}, {2, 2})});
    QCOMPARE(operatorsOf(folded(graph, 15)), "Transpose Add");
    QCOMPARE(operatorsOf(folded(graph, 16)), "Add");
}

void FoldTest::randomNumbersAreLeft()
{
    GraphMaker maker;
    const TensorId weight = maker.constant("weight", splat(0.5f, {4}));
    const Graph graph = maker.finish({maker.call("RandomNormalLike", {weight}, {4})});
    QCOMPARE(operatorsOf(folded(graph)), "RandomNormalLike");
}

GRAPHLOOM_TESTS(FoldTest)

} // namespace graphloom::test::fold_test

#include "fold_test.moc"
