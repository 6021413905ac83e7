// SPDX-License-Identifier: Apache-2.0
// Properties of operators that are well known, as derived from their descriptions.
#include "engine/ops/algebra/algebra.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::algebra_test {

namespace {

const Shape shape{2, 3};

Elementwise elementwise(const std::string &op, std::size_t inputs,
                        std::vector<Attribute> attributes = {})
{
    const OperatorCase call(op, std::vector<Given>(inputs, Given(shape)), std::move(attributes));
    return *elementwiseOf(call.description());
}

Monotony monotony(const std::string &op, std::vector<Attribute> attributes = {}, Range range = {})
{
    const Elementwise call = elementwise(op, 1, std::move(attributes));
    return monotonyOf(call.body, 0, std::vector{range});
}

bool turns(const std::string &op, Fn from, Fn to, Range range = {})
{
    return imagesOf(elementwise(op, 1).body, 0, from, std::vector{range}).contains(to);
}

} // namespace

class AlgebraTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void commutativeOperators();
    void functionsOfTwoArguments();
    void risingAndFalling();
    void attributesCount();
    void evenAndOdd();
    void whatTurnsIntoWhat();
    void fixedPoints();
    void reductions();
    void whatDependsOnThePlaceIsNotElementwise();
};

void AlgebraTest::commutativeOperators()
{
    for (const char *op : {"Add", "Mul", "Max", "Min", "Mean"})
        QVERIFY2(isCommutative(OperatorCase(op, {Given(shape), Given(shape)}).description()), op);
    for (const char *op : {"Sub", "Div", "Pow", "Less", "PRelu"})
        QVERIFY2(!isCommutative(OperatorCase(op, {Given(shape), Given(shape)}).description()), op);
    const OperatorCase product("MatMul", {Given(Shape{2, 2}), Given(Shape{2, 2})});
    QVERIFY(!isCommutative(product.description()));
}

void AlgebraTest::functionsOfTwoArguments()
{
    QCOMPARE(int(*elementwise("Mul", 2).function()), int(Fn::Mul));
    QCOMPARE(int(*elementwise("Sub", 2).function()), int(Fn::Sub));
    QVERIFY(!elementwise("Greater", 2).function()); // Less, with its arguments exchanged
    QVERIFY(!elementwise("PRelu", 2).function());
    QCOMPARE(*identityOf(Fn::Mul, DataType::Float), 1.0);
    QCOMPARE(*identityOf(Fn::Max, DataType::Uint8), 0.0);
    QVERIFY(!identityOf(Fn::Equal, DataType::Float));
    QCOMPARE(int(undoingOf(Fn::Add)->fn), int(Fn::Sub));
    QVERIFY(!undoingOf(Fn::Min));
}

void AlgebraTest::risingAndFalling()
{
    for (const char *op : {"Relu", "Exp", "Sigmoid", "Tanh", "Erf", "LeakyRelu", "Elu", "Floor",
                           "HardSigmoid", "Selu", "Celu", "ThresholdedRelu"})
        QVERIFY2(monotony(op) == Monotony::Increasing, op);
    QVERIFY(monotony("Neg") == Monotony::Decreasing);
    for (const char *op : {"Abs", "Gelu", "HardSwish", "Cos", "Reciprocal", "Mish"})
        if (std::string(op) != "Gelu" && std::string(op) != "Mish") // of newer operator sets
            QVERIFY2(monotony(op) == Monotony::None, op);
    QVERIFY(monotony("Abs", {}, Range::atLeast(0)) == Monotony::Increasing);
    QVERIFY(monotony("Reciprocal", {}, {1, 2}) == Monotony::Decreasing);
}

void AlgebraTest::attributesCount()
{
    QVERIFY(monotony("LeakyRelu", {{"alpha", 0.5f}}) == Monotony::Increasing);
    QVERIFY(monotony("LeakyRelu", {{"alpha", -0.5f}}) == Monotony::None);
}

void AlgebraTest::evenAndOdd()
{
    for (const char *op : {"Abs", "Cos", "Cosh"})
        QVERIFY2(isEven(elementwise(op, 1).body, 0), op);
    for (const char *op : {"Sin", "Tanh", "Erf", "Neg", "Softsign", "Reciprocal"})
        QVERIFY2(isOdd(elementwise(op, 1).body, 0), op);
    for (const char *op : {"Exp", "Relu", "Sigmoid", "Floor"})
        QVERIFY2(!isEven(elementwise(op, 1).body, 0) && !isOdd(elementwise(op, 1).body, 0), op);
}

void AlgebraTest::whatTurnsIntoWhat()
{
    QVERIFY(turns("Exp", Fn::Add, Fn::Mul));
    QVERIFY(!turns("Exp", Fn::Mul, Fn::Add));
    QVERIFY(turns("Abs", Fn::Mul, Fn::Mul));
    QVERIFY(!turns("Abs", Fn::Add, Fn::Add));
    QVERIFY(turns("Reciprocal", Fn::Mul, Fn::Mul));
    QVERIFY(turns("Neg", Fn::Max, Fn::Min));
    QVERIFY(turns("Sigmoid", Fn::Max, Fn::Max));
    QVERIFY(!turns("Sigmoid", Fn::Mul, Fn::Mul));
    QVERIFY(!turns("Sqrt", Fn::Mul, Fn::Mul)); // not of negative numbers
    QVERIFY(turns("Sqrt", Fn::Mul, Fn::Mul, Range::atLeast(0)));
    QVERIFY(turns("Log", Fn::Mul, Fn::Add, Range::atLeast(0)));
}

void AlgebraTest::fixedPoints()
{
    const auto fixed = [](const std::string &op) {
        return fixedPointsOf(elementwise(op, 1).body, 0);
    };
    QCOMPARE(*fixed("Relu"), Range::atLeast(0));
    QCOMPARE(*fixed("Abs"), Range::atLeast(0));
    QCOMPARE(*fixed("LeakyRelu"), Range::atLeast(0));
    QVERIFY(!fixed("Tanh"));
    QVERIFY(!fixed("Neg"));
}

void AlgebraTest::reductions()
{
    const auto description = [](const std::string &op) {
        return OperatorCase(op, {Given(Shape{2, 3, 4, 4})}, {}).description();
    };
    QCOMPARE(int(*reductionOf(description("ReduceSum"))), int(Fn::Add));
    QCOMPARE(int(*reductionOf(description("ReduceProd"))), int(Fn::Mul));
    QVERIFY(!reductionOf(description("ReduceL1")));
    QVERIFY(!reductionOf(description("ReduceMean")));
    QVERIFY(isMean(description("ReduceMean")));
    QVERIFY(!isMean(description("ReduceSum")));
    QVERIFY(isMovement(description("Transpose")));
    QVERIFY(!isMovement(description("Relu")));
}

void AlgebraTest::whatDependsOnThePlaceIsNotElementwise()
{
    QVERIFY(!elementwiseOf(OperatorCase("Trilu", {Given(Shape{3, 3})}).description()));
    QVERIFY(!elementwiseOf(OperatorCase("Softmax", {Given(Shape{3, 3})}).description()));
    QVERIFY(!elementwiseOf(OperatorCase("Transpose", {Given(Shape{3, 3})}).description()));
}

GRAPHLOOM_TESTS(AlgebraTest)

} // namespace graphloom::test::algebra_test

#include "algebra_test.moc"
