// SPDX-License-Identifier: Apache-2.0
// Along which dimensions calls can be done in parts.
#include "engine/ops/derive/splits.h"

#include "tests/support/attribute.h"
#include "tests/support/gradient_case.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::splits_test {

using test::Given;
using test::integer;
using test::ints;
using test::OperatorCase;

namespace {

QString textOf(const std::vector<SplitTensor> &cuts)
{
    QStringList list;
    for (const SplitTensor &cut : cuts) {
        QString text = cut.isCut() ? QString::number(cut.dim) : QString("-");
        if (cut.isCut() && cut.step != 1)
            text += QString("*%1").arg(cut.step);
        if (cut.hasHalo())
            text += QString("[%1,%2]").arg(cut.before).arg(cut.after);
        list << text;
    }
    return list.join(' ');
}

/// "0 - > 0; …": the dimensions of inputs and outputs that each split cuts, with steps and halos.
QString textOf(const Description &description)
{
    QStringList list;
    for (const Split &split : splitsOf(description))
        list << textOf(split.inputs) + " > " + textOf(split.outputs) +
                    (split.combine == Combine::None  ? ""
                     : split.combine == Combine::Sum ? " sum"
                     : split.combine == Combine::Max ? " max"
                                                     : " other");
    return list.join("; ");
}

QString splits(const OperatorCase &call)
{
    return textOf(call.description());
}

} // namespace

class SplitsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void convolutions();
    void transposedConvolutions();
    void pools();
    void products();
    void normalizations();
    void batchStatistics();
    void movements();
    void lookups();
    void gradientsOfLookups();
    void mirroredPads();
};

void SplitsTest::convolutions()
{
    const Shape x{2, 4, 8, 8}, w{6, 4, 3, 3};
    QCOMPARE(splits({"Conv", {x, w}, {ints("pads", {1, 1, 1, 1})}}),
             QString("0 - > 0; - 0 > 1; 2[1,1] - > 2; 3[1,1] - > 3; 1 1 > - sum"));
    QCOMPARE(splits({"Conv", {x, w, Shape{6}}, {ints("strides", {2, 2})}}),
             QString("0 - - > 0; - 0 0 > 1; 2*2[0,1] - - > 2; 3*2[0,1] - - > 3"));
    QCOMPARE(splits({"Conv", {x, Shape{4, 1, 3, 3}}, {integer("group", 4)}}),
             QString("0 - > 0; 1 0 > 1; 2[0,2] - > 2; 3[0,2] - > 3"));
}

void SplitsTest::transposedConvolutions()
{
    const Shape x{2, 4, 5, 5};
    QCOMPARE(splits({"ConvTranspose", {x, Shape{4, 3, 2, 2}}, {ints("strides", {2, 2})}}),
             QString("0 - > 0; - 1 > 1; 2 - > 2*2; 3 - > 3*2; 1 0 > - sum"));
    QCOMPARE(splits({"ConvTranspose",
                     {x, Shape{4, 3, 4, 4}},
                     {ints("strides", {2, 2}), ints("pads", {1, 1, 1, 1})}}),
             QString("0 - > 0; - 1 > 1; 2[1,1] - > 2*2; 3[1,1] - > 3*2; 1 0 > - sum"));
}

void SplitsTest::pools()
{
    const Shape x{2, 4, 8, 8};
    QCOMPARE(splits({"MaxPool", {x}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})}}),
             QString("0 > 0; 1 > 1; 2*2 > 2; 3*2 > 3"));
    QCOMPARE(splits({"GlobalAveragePool", {x}}),
             QString("0 > 0; 1 > 1")); // means divide at the end
    QCOMPARE(splits({"GlobalMaxPool", {x}}), QString("0 > 0; 1 > 1; 2 > - max; 3 > - max"));
}

void SplitsTest::products()
{
    QCOMPARE(splits({"MatMul", {Shape{3, 4, 5}, Shape{5, 6}}}),
             QString("0 - > 0; 1 - > 1; - 1 > 2; 2 0 > - sum"));
    QCOMPARE(splits({"MatMul", {Shape{3, 4, 5}, Shape{3, 5, 6}}}),
             QString("0 0 > 0; 1 - > 1; - 2 > 2; 2 1 > - sum"));
    QCOMPARE(splits({"Gemm", {Shape{4, 5}, Shape{6, 5}, Shape{6}}, {integer("transB", 1)}}),
             QString("0 - - > 0; - 0 0 > 1")); // the bias is added once
}

void SplitsTest::normalizations()
{
    QCOMPARE(splits({"Softmax", {Shape{3, 4, 5}}}), QString("0 > 0; 1 > 1"));
    QCOMPARE(splits({"LayerNormalization", {Shape{3, 4, 5}, Shape{5}, Shape{5}}}),
             QString("0 - - > 0; 1 - - > 1"));
}

void SplitsTest::batchStatistics()
{
    const std::vector<Given> inputs{Shape{3, 4, 5, 6}, Shape{4}, Shape{4}, Shape{4}, Shape{4}};
    QCOMPARE(splits({"BatchNormalization", inputs}),
             QString("0 - - - - > 0; 1 0 0 0 0 > 1; 2 - - - - > 2; 3 - - - - > 3"));
    // Statistics of the batch need all of it: only channels are independent.
    QCOMPARE(splits({"BatchNormalization", inputs, {integer("training_mode", 1)}, 3}),
             QString("1 0 0 0 0 > 1 0 0"));
}

void SplitsTest::movements()
{
    QCOMPARE(splits({"Reshape", {Shape{4, 6, 10}, Given::integers({4, 6, 2, 5})}}),
             QString("0 > 0; 1 > 1; 2*5 > 2"));
    QCOMPARE(splits({"Reshape", {Shape{4, 6}, Given::integers({24})}}), QString("0 > 0*6"));
    QCOMPARE(splits({"Reshape", {Shape{4, 6}, Given::integers({6, 4})}}), QString());
    QCOMPARE(splits({"Transpose", {Shape{4, 6}}}), QString("1 > 0; 0 > 1"));
    QCOMPARE(splits({"Concat", {Shape{4, 6}, Shape{4, 2}}, {integer("axis", 1)}}),
             QString("0 0 > 0"));
}

void SplitsTest::lookups()
{
    QCOMPARE(splits({"Gather", {Shape{100, 8}, Given({3, 4}, DataType::Int64)}}),
             QString("- 0 > 0; - 1 > 1; 1 - > 2"));
    // Scaled dimensions are looked up in tables of positions.
    QCOMPARE(splits({"Resize",
                     {Shape{2, 3, 4, 4}, Given(TensorData::fromInt64s({})),
                      Given(TensorData::fromInt64s({})), Given::integers({2, 3, 8, 8})},
                     {test::word("mode", "linear")}}),
             QString("0 > 0; 1 > 1"));
}

/// Tokens may be cut, each part beginning a sum of its own, and columns; words cannot.
void SplitsTest::gradientsOfLookups()
{
    const auto gradient = test::GradientCase::of("Gather", "[100,8] int64[3,4]").gradientBy(0);
    QVERIFY(gradient);
    QCOMPARE(textOf(*gradient), QString("- - - 2 > 1; - 0 - 0 > - sum; - 1 - 1 > - sum"));
}

void SplitsTest::mirroredPads()
{
    const std::vector<Given> inputs{Shape{2, 8}, Given::integers({0, 2, 0, 2})};
    QCOMPARE(splits({"Pad", inputs}), QString("0 > 0; 1[2,-2] > 1"));
    QCOMPARE(splits({"Pad", inputs, {test::word("mode", "reflect")}}), QString("0 > 0"));
}

GRAPHLOOM_TESTS(SplitsTest)

} // namespace graphloom::test::splits_test

#include "splits_test.moc"
