// SPDX-License-Identifier: Apache-2.0
// Quantized operators: shapes, mapping types, refusals, and values worked out by hand.
#include "tests/support/attribute.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_quantization_test {

namespace {

using Inputs = OperatorRun::Inputs;
TensorData uint8s(TensorData::Extents extents, const std::vector<double> &values)
{
    return numbers(DataType::Uint8, std::move(extents), values);
}
TensorData int8s(TensorData::Extents extents, const std::vector<double> &values)
{
    return numbers(DataType::Int8, std::move(extents), values);
}

} // namespace

class EntriesQuantizationTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void shapesAndMappings();
    void contractionsCountTheirProducts();
    void values_data();
    void values();
    void dynamicScaleCoversZero();
    void refusals_data();
    void refusals();
};

void EntriesQuantizationTest::shapesAndMappings()
{
    const Shape x{Dim::symbol("n"), 8, 6, 6};
    const Given scale = Given::weights({8}), one = Given::weights({});
    const Given zero(TensorData::splat(DataType::Int8, {8}, std::vector<std::byte>(1)));
    const Given zeroOfAll(TensorData::splat(DataType::Uint8, {}, std::vector<std::byte>(1)));
    const OperatorCase quantize("QuantizeLinear", {x, scale, zero});
    QCOMPARE(QString::fromStdString(quantize.shape()), QString("nx8x6x6"));
    QCOMPARE(quantize.description().values[0].type, DataType::Int8);
    QCOMPARE(quantize.mapping(), MappingType::OneToOne);
    const OperatorCase dequantize("DequantizeLinear", {Given(x, DataType::Int8), scale, zero});
    QCOMPARE(dequantize.description().values[0].type, DataType::Float);
    QCOMPARE(dequantize.mapping(), MappingType::OneToOne);
    const OperatorCase dynamic("DynamicQuantizeLinear", {x}, {}, 3);
    QCOMPARE(QString::fromStdString(dynamic.shape(0)), QString("nx8x6x6"));
    QCOMPARE(QString::fromStdString(dynamic.shape(1)), QString("scalar"));
    QCOMPARE(dynamic.description().values[1].type, DataType::Float);
    QCOMPARE(dynamic.description().values[2].type, DataType::Uint8);
    QCOMPARE(dynamic.mapping(), MappingType::ManyToMany);
    const Given weights(Shape{4, 8, 3, 3}, DataType::Int8);
    const OperatorCase conv(
        "QLinearConv",
        {Given(x, DataType::Uint8), one, zeroOfAll, weights, Given::weights({4}),
         Given(TensorData::splat(DataType::Int8, {4}, std::vector<std::byte>(1))), one, zeroOfAll},
        {{"pads", std::vector<std::int64_t>{1, 1, 1, 1}}});
    QCOMPARE(QString::fromStdString(conv.shape()), QString("nx4x6x6"));
    QCOMPARE(conv.mapping(), MappingType::ManyToMany);
    const OperatorCase product("MatMulInteger", {Given(Shape{2, 1, 3, 4}, DataType::Uint8),
                                                 Given(Shape{5, 4, 7}, DataType::Int8)});
    QCOMPARE(QString::fromStdString(product.shape()), QString("2x5x3x7"));
    QCOMPARE(product.description().values[0].type, DataType::Int32);
}

void EntriesQuantizationTest::contractionsCountTheirProducts()
{
    const OperatorCase product(
        "MatMulInteger", {Given(Shape{3, 4}, DataType::Uint8), Given(Shape{4, 7}, DataType::Int8),
                          Given(Shape{}, DataType::Uint8), Given(Shape{7}, DataType::Int8)});
    QCOMPARE(macsOf(product.description()), Dim(3 * 4 * 7));
    QCOMPARE(classOf(product.description(), product.constants()), OperatorClass::Contraction);
}

void EntriesQuantizationTest::values_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("result");
    const auto row = [](const char *name, const char *result, std::string op, Inputs inputs,
                        std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes), 1, 21)
                            << QString(result);
    };
    const TensorData two = floats({}, {2});
    row("halves to even, cut off", "uint8 5: 128 130 130 255 0", "QuantizeLinear",
        {floats({5}, {0, 3, 5, 1000, -1000}), two, uint8s({}, {128})});
    row("without zero point", "uint8 2: 0 3", "QuantizeLinear", {floats({2}, {-7, 6}), two});
    row("of integers", "int8 2: -4 127", "QuantizeLinear",
        {numbers(DataType::Int32, {2}, {-7, 600}), two, int8s({}, {0})});
    row("quantize rows", "int16 2x2: 2 4 1 2", "QuantizeLinear",
        {floats({2, 2}, {4, 8, 4, 8}), floats({2}, {2, 4}), numbers(DataType::Int16, {2}, {0, 0})},
        {integer("axis", 0)});
    row("quantize blocks to four bits", "int4 1x4: 1 2 3 7", "QuantizeLinear",
        {floats({1, 4}, {2, 4, 9, 99}), floats({1, 2}, {2, 3})},
        {integer("block_size", 2), integer("output_dtype", 22)});
    row("to 8-bit reals", "float8e4m3fn 3: 448 -448 1.5", "QuantizeLinear",
        {floats({3}, {1000, -1e9, 3}), two, numbers(DataType::Float8E4M3FN, {}, {0})});
    row("dequantize", "float 2: -256 254", "DequantizeLinear",
        {uint8s({2}, {0, 255}), two, uint8s({}, {128})});
    row("dequantize int32", "float 1: 2e+09", "DequantizeLinear",
        {numbers(DataType::Int32, {1}, {1000000000}), two});
    row("dequantize columns", "float 2x2: 0 6 4 18", "DequantizeLinear",
        {int8s({2, 2}, {1, 2, 3, 6}), floats({2}, {2, 3}), int8s({2}, {1, 0})},
        {integer("axis", -1)});
    row("dequantize blocks", "float 4x1: 2 4 9 12", "DequantizeLinear",
        {numbers(DataType::Uint4, {4, 1}, {1, 2, 3, 4}), floats({2, 1}, {2, 3})},
        {integer("axis", 0), integer("block_size", 2)});
    row("dequantize 8-bit reals", "float 2: 3 -896", "DequantizeLinear",
        {numbers(DataType::Float8E4M3FN, {2}, {1.5, -448}), two});
    // ONNX's example.
    row("MatMulInteger", "int32 4x2: -38 -83 -44 -98 -50 -113 -56 -128", "MatMulInteger",
        {uint8s({4, 3}, {11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0}), uint8s({3, 2}, {1, 4, 2, 5, 3, 6}),
         uint8s({1}, {12}), uint8s({1}, {0})});
    row("zero points of columns", "int32 1x2: 4 4", "MatMulInteger",
        {int8s({1, 2}, {1, 2}), int8s({2, 2}, {1, 2, 3, 4}), std::nullopt, int8s({2}, {1, 2})});
    row("zero points of rows", "int32 2x1: 3 0", "MatMulInteger",
        {int8s({2, 2}, {1, 2, 3, 3}), int8s({2, 1}, {1, 1}), int8s({2}, {0, 3})});
    row("vectors", "int32 scalar: 11", "MatMulInteger", {int8s({2}, {1, 2}), int8s({2}, {3, 4})});
    row("sums beyond 16 bits", "int32 1x1: 130050", "MatMulInteger",
        {uint8s({1, 2}, {255, 255}), uint8s({2, 1}, {255, 255})});
    row("padding is the zero point", "int32 1x1x3: 3 6 5", "ConvInteger",
        {uint8s({1, 1, 3}, {2, 3, 4}), uint8s({1, 1, 3}, {1, 1, 1}), uint8s({}, {1})},
        {{"pads", std::vector<std::int64_t>{1, 1}}});
    row("zero points of filters", "int32 1x2x1: 0 6", "ConvInteger",
        {uint8s({1, 1, 1}, {3}), int8s({2, 1, 1}, {1, 4}), std::nullopt, int8s({2}, {1, 2})});
    // (20-10) * 3 * 0.5 * 0.1 = 1.5 and + 4 * 0.05; / 0.25 rounds to 6.8 -> 7, + 100.
    row("QLinearConv", "uint8 1x1x1: 107", "QLinearConv",
        {uint8s({1, 1, 1}, {20}), floats({}, {.5}), uint8s({}, {10}), int8s({1, 1, 1}, {3}),
         floats({}, {.1}), int8s({}, {0}), floats({}, {.25}), uint8s({}, {100}),
         numbers(DataType::Int32, {1}, {4})});
    row("QLinearConv with scales of filters", "int8 1x2x1: 6 30", "QLinearConv",
        {uint8s({1, 1, 1}, {3}), floats({}, {1}), uint8s({}, {0}), int8s({2, 1, 1}, {2, 2}),
         floats({2}, {1, 5}), int8s({2}, {0, 0}), floats({}, {1}), int8s({}, {0})});
    row("QLinearMatMul", "uint8 2x2: 21 30 220 255", "QLinearMatMul",
        {int8s({2, 1}, {1, 100}), floats({2}, {1, 2}), int8s({2}, {0, 0}), int8s({1, 2}, {1, -10}),
         floats({2}, {1, -1}), int8s({2}, {0, 0}), floats({}, {1}), uint8s({}, {20})});
}

void EntriesQuantizationTest::values()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, result);
    QCOMPARE(call->result(), result);
}

void EntriesQuantizationTest::dynamicScaleCoversZero()
{
    // ONNX's example.
    const OperatorRun mixed("DynamicQuantizeLinear", {floats({6}, {0, 2, -3, -2.5, 1.34, 0.5})}, {},
                            3);
    QCOMPARE(mixed.result(0), QString("uint8 6: 153 255 0 26 221 179"));
    QCOMPARE(mixed.result(1), QString("float scalar: 0.0196078"));
    QCOMPARE(mixed.result(2), QString("uint8 scalar: 153"));
    const OperatorRun positive("DynamicQuantizeLinear", {floats({2}, {1, 5.1})}, {}, 3);
    QCOMPARE(positive.result(0), QString("uint8 2: 50 255"));
    QCOMPARE(positive.result(2), QString("uint8 scalar: 0"));
    const OperatorRun nothing("DynamicQuantizeLinear", {floats({2}, {0, 0})}, {}, 3);
    QCOMPARE(nothing.result(0), QString("uint8 2: 0 0"));
    QCOMPARE(nothing.result(1), QString("float scalar: 1"));
}

void EntriesQuantizationTest::refusals_data()
{
    QTest::addColumn<std::shared_ptr<OperatorRun>>("call");
    QTest::addColumn<QString>("reason");
    const auto row = [](const char *name, const char *reason, std::string op, Inputs inputs,
                        std::vector<Attribute> attributes = {}) {
        QTest::newRow(name) << std::make_shared<OperatorRun>(std::move(op), std::move(inputs),
                                                             std::move(attributes), 1, 21)
                            << QString(reason);
    };
    const TensorData x = floats({2, 3}, {1, 2, 3, 4, 5, 6}), one = floats({}, {1});
    const TensorData bytes = uint8s({2, 3}, {1, 2, 3, 4, 5, 6}), zero = uint8s({}, {0});
    row("scales for another axis", "does not match its input of shape 2x3", "QuantizeLinear",
        {x, floats({2}, {1, 1})});
    row("axis", "axis 2 is not", "QuantizeLinear", {x, floats({2}, {1, 1})}, {integer("axis", 2)});
    row("blocks", "does not match", "QuantizeLinear", {x, floats({2, 3}, {1, 1, 1, 1, 1, 1})},
        {integer("block_size", 2)});
    row("two output types", "its zero point is uint8, but its output is int8", "QuantizeLinear",
        {x, one, zero}, {integer("output_dtype", 3)});
    row("to reals", "cannot quantize to float", "QuantizeLinear", {x, one, one});
    row("zero point of another type", "the types of its input", "DequantizeLinear",
        {bytes, one, int8s({}, {0})});
    row("doubles", "must be float, not double", "DynamicQuantizeLinear",
        {numbers(DataType::Double, {1}, {1})});
    row("inner extents", "cannot multiply", "MatMulInteger", {bytes, bytes});
    row("product of reals", "8-bit integers, not float", "MatMulInteger",
        {floats({3, 2}, {1, 2, 3, 4, 5, 6}), bytes});
    row("zero points of too many columns", "one number for each of 3", "MatMulInteger",
        {uint8s({1, 2}, {1, 1}), bytes, std::nullopt, uint8s({2}, {0, 0})});
    row("zero point type", "the type of a zero point", "MatMulInteger",
        {uint8s({1, 2}, {1, 1}), bytes, int8s({}, {0})});
    row("filters", "one number for each of 2 channels", "ConvInteger",
        {uint8s({1, 1, 1}, {1}), uint8s({2, 1, 1}, {1, 1}), std::nullopt, uint8s({3}, {0, 0, 0})});
    row("zero points of the image's channels", "must be a single number", "ConvInteger",
        {uint8s({1, 2, 1}, {1, 1}), uint8s({1, 2, 1}, {1, 1}), uint8s({2}, {0, 0})});
    row("scales of the output", "single numbers", "QLinearMatMul",
        {uint8s({1, 2}, {1, 1}), one, zero, bytes, one, zero, floats({3}, {1, 1, 1}), zero});
}

void EntriesQuantizationTest::refusals()
{
    QFETCH(std::shared_ptr<OperatorRun>, call);
    QFETCH(QString, reason);
    const QString message = call->refusal();
    QVERIFY2(message.contains(reason), qPrintable(message));
}

GRAPHLOOM_TESTS(EntriesQuantizationTest)

} // namespace graphloom::test::entries_quantization_test

#include "entries_quantization_test.moc"
