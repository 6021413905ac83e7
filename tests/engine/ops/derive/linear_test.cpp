// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/derive/linear.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::linear_test {

namespace {

/// "1:0 2:0": inputs with their dimensions; "no" where the output is not linear.
QString scaledBy(const OperatorCase &call, int parameter, int along)
{
    const auto scaled = scaledWith(call.description(), parameter, along);
    if (!scaled)
        return "no";
    QStringList parts;
    for (const ParameterDimension &part : *scaled)
        parts << QString("%1:%2").arg(part.input).arg(part.dimension);
    return parts.join(' ');
}

constexpr int whole = ParameterDimension::whole;

} // namespace

class LinearTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void convolutions();
    void transposedConvolutions();
    void matrixProducts();
    void sums();
    void notLinear();
    void addends();
    void linearInputs();
};

void LinearTest::convolutions()
{
    const Shape x = {2, 8, 6, 6};
    const OperatorCase plain("Conv", {x, Given::weights({4, 8, 3, 3})});
    QCOMPARE(scaledBy(plain, 1, 1), QString("1:0"));
    QCOMPARE(scaledBy(plain, 1, whole), QString("1:-1"));
    QCOMPARE(scaledBy(plain, 1, 0), QString("no")); // the batch is no dimension of the weights
    QCOMPARE(scaledBy(plain, 1, 2), QString("no"));
    const OperatorCase biased("Conv", {x, Given::weights({4, 8, 3, 3}), Given::weights({4})});
    QCOMPARE(scaledBy(biased, 1, 1), QString("1:0 2:0"));
    QCOMPARE(scaledBy(biased, 0, whole), QString("0:-1 2:-1"));
    const OperatorCase grouped("Conv", {x, Given::weights({4, 4, 3, 3})}, {integer("group", 2)});
    QCOMPARE(scaledBy(grouped, 1, 1), QString("1:0"));
}

void LinearTest::transposedConvolutions()
{
    const Shape x = {2, 8, 6, 6};
    const OperatorCase plain("ConvTranspose", {x, Given::weights({8, 4, 2, 2})},
                             {ints("strides", {2, 2})});
    QCOMPARE(scaledBy(plain, 1, 1), QString("1:1"));
    // The weights hold the channels of one group; each runs along several of the output.
    const OperatorCase grouped("ConvTranspose", {x, Given::weights({8, 4, 2, 2})},
                               {integer("group", 2)});
    QCOMPARE(scaledBy(grouped, 1, 1), QString("no"));
    QCOMPARE(scaledBy(grouped, 1, whole), QString("1:-1"));
    const OperatorCase dilated("ConvTranspose", {x, Given::weights({8, 4, 3, 3})},
                               {ints("strides", {2, 2})});
    QCOMPARE(scaledBy(dilated, 1, 1), QString("1:1"));
}

void LinearTest::matrixProducts()
{
    const OperatorCase product("MatMul", {Shape{2, 4, 6}, Given::weights({6, 8})});
    QCOMPARE(scaledBy(product, 1, 2), QString("1:1"));
    QCOMPARE(scaledBy(product, 0, 1), QString("0:1"));
    const OperatorCase gemm("Gemm", {Shape{4, 6}, Given::weights({8, 6}), Given::weights({8})},
                            {integer("transB", 1), real("alpha", 2), real("beta", 3)});
    QCOMPARE(scaledBy(gemm, 1, 1), QString("1:0 2:0"));
    QCOMPARE(scaledBy(gemm, 0, 0), QString("no")); // the bias lacks the dimension
}

void LinearTest::sums()
{
    const OperatorCase sum("Add", {Shape{2, 3}, Given::weights({3})});
    QCOMPARE(scaledBy(sum, 0, whole), QString("0:-1 1:-1"));
    QCOMPARE(scaledBy(sum, 1, 1), QString("0:1 1:0"));
    QCOMPARE(scaledBy(sum, 1, 0), QString("no"));
}

void LinearTest::notLinear()
{
    QCOMPARE(scaledBy(OperatorCase("Relu", {Shape{2, 3}}), 0, whole), QString("no"));
    QCOMPARE(scaledBy(OperatorCase("Softmax", {Shape{2, 3}}), 0, whole), QString("no"));
    QCOMPARE(scaledBy(OperatorCase("MaxPool", {Shape{1, 2, 4, 4}}, {ints("kernel_shape", {2, 2})}),
                      0, whole),
             QString("no"));
    QCOMPARE(scaledBy(OperatorCase("Max", {Shape{2}, Shape{2}}), 0, whole), QString("no"));
    const OperatorCase squares("LpPool", {Shape{1, 2, 4, 4}}, {ints("kernel_shape", {2, 2})});
    QCOMPARE(scaledBy(squares, 0, whole), QString("no"));
}

void LinearTest::addends()
{
    const OperatorCase conv("Conv",
                            {Shape{2, 8, 6, 6}, Given::weights({4, 8, 3, 3}), Given::weights({4})});
    QVERIFY(addedAlong(conv.description(), 2, 1) == 0);
    QVERIFY(!addedAlong(conv.description(), 2, 2));
    QVERIFY(!addedAlong(conv.description(), 1, 1));
    const OperatorCase gemm("Gemm", {Shape{4, 6}, Given::weights({6, 8}), Given::weights({8})});
    QVERIFY(addedAlong(gemm.description(), 2, 1) == 0);
    const OperatorCase halved("Gemm", {Shape{4, 6}, Given::weights({6, 8}), Given::weights({8})},
                              {real("beta", 0.5)});
    QVERIFY(!addedAlong(halved.description(), 2, 1));
}

void LinearTest::linearInputs()
{
    const OperatorCase product("MatMul", {Shape{2, 4, 6}, Shape{2, 6, 8}});
    QVERIFY(isLinearIn(product.description(), 0) && isLinearIn(product.description(), 1));
    QVERIFY(isLinearIn(OperatorCase("Transpose", {Shape{2, 3}}).description(), 0));
    QVERIFY(isLinearIn(OperatorCase("Div", {Shape{2}, Shape{2}}).description(), 0));
    QVERIFY(!isLinearIn(OperatorCase("Div", {Shape{2}, Shape{2}}).description(), 1));
    QVERIFY(!isLinearIn(OperatorCase("Exp", {Shape{2}}).description(), 0));
    QVERIFY(!isLinearIn(OperatorCase("Cast", {Shape{2}}, {integer("to", 7)}).description(), 0));
}

GRAPHLOOM_TESTS(LinearTest)

} // namespace graphloom::test::linear_test

#include "linear_test.moc"
