// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor_models.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <cstring>

namespace graphloom::test::tensors_test {

using Proto = onnx::TensorProto;

/// Constants: every way to store them.
class TensorsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void typedFields();
    void rawData();
    void strings();
    void smallTypes();
    void sparse();
    void largeRawDataStaysInTheFile();
    void dataThatLooksLikeAPlaceholder();
    void constantNodes();
};

namespace {

std::shared_ptr<const TensorData> constantOf(const Result<Model> &model)
{
    return model->graph.tensor(model->graph.outputs()[0]).constant;
}

std::vector<double> realsOf(const TensorData &data)
{
    std::vector<double> values;
    for (std::int64_t i = 0; i < data.elements(); ++i)
        values.push_back(data.real(i));
    return values;
}

} // namespace

void TensorsTest::typedFields()
{
    const auto check = [](const Proto &tensor, const std::vector<double> &expected) {
        const auto model = load(with(tensor));
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        QCOMPARE(realsOf(*constantOf(model)), expected);
        QCOMPARE(int(constantOf(model)->type()), tensor.data_type());
    };
    auto tensor = typed(Proto::FLOAT, {2});
    tensor.add_float_data(1.5f);
    tensor.add_float_data(-2);
    check(tensor, {1.5, -2});
    tensor = typed(Proto::DOUBLE, {1});
    tensor.add_double_data(0.1);
    check(tensor, {0.1});
    for (const int type : {Proto::INT32, Proto::INT16, Proto::INT8}) {
        tensor = typed(type, {2});
        tensor.add_int32_data(-7);
        tensor.add_int32_data(100);
        check(tensor, {-7, 100});
    }
    for (const int type : {Proto::UINT16, Proto::UINT8}) {
        tensor = typed(type, {1});
        tensor.add_int32_data(200);
        check(tensor, {200});
    }
    tensor = typed(Proto::BOOL, {2});
    tensor.add_int32_data(1);
    tensor.add_int32_data(0);
    check(tensor, {1, 0});
    tensor = typed(Proto::INT64, {1});
    tensor.add_int64_data(-5);
    check(tensor, {-5});
    for (const int type : {Proto::UINT64, Proto::UINT32}) {
        tensor = typed(type, {1});
        tensor.add_uint64_data(4'000'000'000u);
        check(tensor, {4e9});
    }
    tensor = typed(Proto::FLOAT16, {2});
    tensor.add_int32_data(0x3c00);
    tensor.add_int32_data(-17408); // the bits 0xbc00, extended by their sign
    check(tensor, {1, -1});
    tensor = typed(Proto::BFLOAT16, {1});
    tensor.add_int32_data(0x4040);
    check(tensor, {3});
    tensor = typed(Proto::COMPLEX64, {1});
    tensor.add_float_data(2);
    tensor.add_float_data(3);
    check(tensor, {2});
    check(typed(Proto::FLOAT, {0, 3}), {});
}

void TensorsTest::rawData()
{
    Proto raw;
    fillFloats(raw, "w", {2, 1}, {1, 2});
    const auto model = load(with(raw));
    QVERIFY(model);
    QCOMPARE(realsOf(*constantOf(model)), (std::vector<double>{1, 2}));
    QCOMPARE(constantOf(model)->extents(), (TensorData::Extents{2, 1}));
    // However it is stored, it is the same constant.
    auto tensor = typed(Proto::FLOAT, {2, 1});
    tensor.add_float_data(1);
    tensor.add_float_data(2);
    QCOMPARE(constantOf(load(with(tensor)))->hash(), constantOf(model)->hash());
}

void TensorsTest::strings()
{
    auto tensor = typed(Proto::STRING, {2});
    tensor.add_string_data("one");
    tensor.add_string_data(std::string("t\0o", 3));
    const auto model = load(with(tensor));
    QVERIFY(model);
    QCOMPARE(constantOf(model)->strings(),
             (std::vector<std::string>{"one", std::string("t\0o", 3)}));
    tensor.add_string_data("three");
    REFUSED(with(tensor), "3 entries");
    tensor = typed(Proto::STRING, {1});
    tensor.set_raw_data("x");
    REFUSED(with(tensor), "strings, which cannot be raw");
}

void TensorsTest::smallTypes()
{
    auto tensor = typed(int(DataType::Int4), {3});
    tensor.add_int32_data(0xf1); // 1, then -1
    tensor.add_int32_data(0x07);
    auto model = load(with(tensor));
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(constantOf(model)->integers(), (std::vector<std::int64_t>{1, -1, 7}));
    tensor = typed(int(DataType::Uint4), {3});
    tensor.set_raw_data("\x21\x03");
    model = load(with(tensor));
    QVERIFY(model);
    QCOMPARE(constantOf(model)->integers(), (std::vector<std::int64_t>{1, 2, 3}));
    tensor.set_raw_data("\x21\x03\x04");
    REFUSED(with(tensor), "3 bytes");
    tensor = typed(int(DataType::Float8E4M3FN), {1});
    tensor.add_int32_data(0x38);
    model = load(with(tensor));
    QVERIFY(model);
    QCOMPARE(realsOf(*constantOf(model)), (std::vector<double>{1}));
}

void TensorsTest::sparse()
{
    auto model = load(sparseModel({2, 2}, {2}, {1, 2}));
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    QCOMPARE(realsOf(*constantOf(model)), (std::vector<double>{0, 5, 6, 0}));
    model = load(sparseModel({2, 2}, {2, 2}, {0, 1, 1, 1}));
    QVERIFY(model);
    QCOMPARE(realsOf(*constantOf(model)), (std::vector<double>{0, 5, 0, 6}));
}

void TensorsTest::largeRawDataStaysInTheFile()
{
    std::vector<float> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float(i);
    auto model = emptyModel();
    addFloats(*model.mutable_graph(), "w", {5000}, values);
    addFloats(*model.mutable_graph(), "small", {2}, {1, 2});
    addOpenOutput(*model.mutable_graph(), "w");
    addOpenOutput(*model.mutable_graph(), "small");
    const auto read = load(model);
    QVERIFY(read);
    const auto large = read->graph.tensor(read->graph.outputs()[0]).constant;
    QVERIFY(large->isMapped());
    QCOMPARE(large->real(4999), 4999.0);
    QVERIFY(!read->graph.tensor(read->graph.outputs()[1]).constant->isMapped());
    QCOMPARE(large->hash(), TensorData::fromValues<float>(DataType::Float, {5000}, values).hash());
    // The declared size is held against what stayed in the file.
    model.mutable_graph()->mutable_initializer(0)->set_dims(0, 4999);
    REFUSED(model, "but its data has 20000 bytes");
}

void TensorsTest::dataThatLooksLikeAPlaceholder()
{
    const std::string forged = "#payload:00000000000007";
    auto tensor = typed(Proto::UINT8, {23});
    tensor.set_raw_data(forged);
    const auto model = load(with(tensor));
    QVERIFY2(model, model ? "" : model.error().text().c_str());
    const auto constant = constantOf(model);
    QCOMPARE(std::string(reinterpret_cast<const char *>(constant->bytes().data()), 23), forged);
}

void TensorsTest::constantNodes()
{
    const auto read = [](auto &&fill) {
        auto model = emptyModel();
        fill(addNode(*model.mutable_graph(), "Constant", {}, {"c"}, "value"));
        addOpenOutput(*model.mutable_graph(), "c");
        return load(model);
    };
    const auto floats = read([](auto &node) { setFloats(node, "value_floats", {1, 2}); });
    QVERIFY(floats);
    QCOMPARE(floats->graph.nodeCount(), std::size_t(0));
    QCOMPARE(realsOf(*constantOf(floats)), (std::vector<double>{1, 2}));
    QCOMPARE(constantOf(read([](auto &node) { setInt(node, "value_int", 7); }))->extents().size(),
             std::size_t(0));
    const auto tensor = read([](auto &node) {
        fillFloats(*addAttribute(node, "value", onnx::AttributeProto::TENSOR).mutable_t(), "", {1},
                   {3});
    });
    QCOMPARE(realsOf(*constantOf(tensor)), (std::vector<double>{3}));
    QVERIFY(!read([](auto &) {}));
    QVERIFY(!read([](auto &node) {
        setInt(node, "value_int", 7);
        setFloat(node, "value_float", 7);
    }));
}

GRAPHLOOM_TESTS(TensorsTest)

} // namespace graphloom::test::tensors_test

#include "tensors_test.moc"
