// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tensor_models.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <limits>

namespace graphloom::test::tensor_defects_test {

using Proto = onnx::TensorProto;

/// Every way in which data and declaration of a constant can differ is refused.
class TensorDefectsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void typedFieldsOfOtherLengths_data();
    void typedFieldsOfOtherLengths();
    void rawDataOfOtherLengths();
    void extentsThatOverflow();
    void otherDefects();
    void sparseDefects();
};

namespace {

/// One more entry in the field in which elements of the type are stored.
void addEntry(Proto &tensor, int type)
{
    switch (type) {
    case Proto::FLOAT:
    case Proto::COMPLEX64:
        tensor.add_float_data(1);
        break;
    case Proto::DOUBLE:
    case Proto::COMPLEX128:
        tensor.add_double_data(1);
        break;
    case Proto::INT64:
        tensor.add_int64_data(1);
        break;
    case Proto::UINT32:
    case Proto::UINT64:
        tensor.add_uint64_data(1);
        break;
    case Proto::STRING:
        tensor.add_string_data("1");
        break;
    default:
        tensor.add_int32_data(1);
    }
}

} // namespace

void TensorDefectsTest::typedFieldsOfOtherLengths_data()
{
    QTest::addColumn<int>("type");
    QTest::addColumn<int>("perElement"); // entries that an element takes
    for (const int type :
         {Proto::FLOAT, Proto::DOUBLE, Proto::INT32, Proto::INT16, Proto::INT8, Proto::UINT16,
          Proto::UINT8, Proto::BOOL, Proto::FLOAT16, Proto::BFLOAT16, Proto::INT64, Proto::UINT32,
          Proto::UINT64, Proto::STRING})
        QTest::newRow(Proto::DataType_Name(Proto::DataType(type)).c_str()) << type << 1;
    QTest::newRow("COMPLEX64") << int(Proto::COMPLEX64) << 2;
    QTest::newRow("COMPLEX128") << int(Proto::COMPLEX128) << 2;
}

void TensorDefectsTest::typedFieldsOfOtherLengths()
{
    QFETCH(int, type);
    QFETCH(int, perElement);
    const auto filled = [&](int entries, int more) {
        auto tensor = typed(type, {3});
        for (int i = 0; i < entries; ++i)
            addEntry(tensor, type);
        for (int i = 0; i < more; ++i) // of another type's field
            addEntry(tensor, type == Proto::INT64 ? Proto::DOUBLE : Proto::INT64);
        return with(tensor);
    };
    const int right = 3 * perElement;
    ACCEPTED(filled(right, 0));
    const auto reason = [](int entries) { return "its data has " + std::to_string(entries); };
    for (const int wrong : {0, 1, right - 1, right + 1, 1000})
        REFUSED(filled(wrong, 0), reason(wrong));
    REFUSED(filled(0, right), reason(right));
    REFUSED(filled(right, 1), reason(right + 1));
}

void TensorDefectsTest::rawDataOfOtherLengths()
{
    auto tensor = typed(Proto::FLOAT, {3});
    for (const std::size_t bytes : {0, 1, 8, 11, 13, 16, 4096, 10'000}) { // some stay in the file
        tensor.set_raw_data(std::string(bytes, 'x'));
        REFUSED(with(tensor), "but its data has " + std::to_string(bytes) + " bytes");
    }
    tensor = typed(Proto::FLOAT, {});
    tensor.set_raw_data("12345678");
    REFUSED(with(tensor), "but its data has 8 bytes");
    tensor = typed(Proto::FLOAT, {0});
    tensor.set_raw_data("1234");
    REFUSED(with(tensor), "but its data has 4 bytes");
}

void TensorDefectsTest::extentsThatOverflow()
{
    constexpr std::int64_t one = 1;
    REFUSED(with(typed(Proto::FLOAT, {3, -1})), "negative extent");
    REFUSED(with(typed(Proto::FLOAT, {0, -1})), "negative extent");
    const std::vector<Extents> tooMany{{one << 62, 16},
                                       {one << 32, one << 32}, // 0 in 64 bits
                                       {(one << 32) + 1, one << 32, 2},
                                       {0, one << 62, one << 62}, // empty, but not its strides
                                       {std::numeric_limits<std::int64_t>::max(), 3}};
    for (const Extents &extents : tooMany)
        REFUSED(with(typed(Proto::UINT8, extents)), "more elements than 64 bits can count");
    // Few enough to count, but 2^60 times 16 bytes is 0 in 64 bits.
    auto tensor = typed(Proto::COMPLEX128, {one << 60});
    tensor.set_raw_data("");
    REFUSED(with(tensor), "more elements than 64 bits can count");
    tensor.set_dims(0, one << 59);
    REFUSED(with(tensor), "more elements than 64 bits can count");
    tensor.set_dims(0, (one << 59) - 1);
    REFUSED(with(tensor), "but its data has 0 bytes");
    tensor = typed(Proto::FLOAT, Extents(64, 1));
    tensor.add_float_data(1);
    ACCEPTED(with(tensor));
    tensor.add_dims(1);
    REFUSED(with(tensor), "has 65 dimensions");
}

void TensorDefectsTest::otherDefects()
{
    auto tensor = typed(99, {1});
    REFUSED(with(tensor), "unknown element type 99");
    tensor = typed(0, {1});
    REFUSED(with(tensor), "unknown element type 0");
    tensor = typed(Proto::FLOAT, {1});
    tensor.set_raw_data("1234");
    tensor.add_float_data(1);
    REFUSED(with(tensor), "data in two places");
    tensor = typed(Proto::FLOAT, {1});
    tensor.set_raw_data("1234");
    tensor.mutable_segment()->set_begin(0);
    REFUSED(with(tensor), "segments");
    tensor = typed(Proto::INT8, {1});
    tensor.add_int32_data(300);
    REFUSED(with(tensor), "contains the value 300");
    tensor = typed(Proto::FLOAT16, {1});
    tensor.add_int32_data(70000);
    REFUSED(with(tensor), "contains the value 70000");
    tensor = typed(Proto::FLOAT, {1});
    tensor.set_raw_data("1234");
    tensor.clear_name();
    REFUSED(with(tensor), "has no name");
}

void TensorDefectsTest::sparseDefects()
{
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t beyond : {std::int64_t{4}, most, std::int64_t{-1}, -most - 1})
        REFUSED(sparseModel({2, 2}, {2}, {1, beyond}), "outside its extents");
    for (const std::int64_t beyond : {std::int64_t{2}, most, std::int64_t{-1}, -most - 1})
        REFUSED(sparseModel({2, 2}, {2, 2}, {0, 1, 0, beyond}), "outside its extents");
    REFUSED(sparseModel({}, {2}, {0, 1}), "outside its extents"); // a scalar
    REFUSED(sparseModel({0}, {2}, {0, 1}), "outside its extents");
    REFUSED(sparseModel({2, 2}, {2}, {2, 1}), "not in ascending order");
    REFUSED(sparseModel({2, 2}, {2}, {1, 1}), "not in ascending order");
    REFUSED(sparseModel({2, 2}, {2, 2}, {1, 0, 0, 1}), "not in ascending order");
    REFUSED(sparseModel({2, 2}, {3}, {0, 1, 2}), "do not have that many rows");
    REFUSED(sparseModel({2, 2}, {2, 3}, {0, 0, 0, 0, 0, 1}), "do not have that many rows");
    REFUSED(sparseModel({2, 2}, {2}, {1}), "its data has 1 entries");
    REFUSED(sparseModel({2, -2}, {2}, {1, 2}), "negative extent");
    REFUSED(sparseModel({most, most}, {2}, {1, 2}), "more elements than 64 bits can count");
    auto model = sparseModel({2, 2}, {2}, {1, 2});
    auto &sparse = *model.mutable_graph()->mutable_sparse_initializer(0);
    sparse.mutable_indices()->set_data_type(Proto::INT32);
    REFUSED(model, "its data has 2 entries"); // in the field of another type
    sparse.clear_indices();
    REFUSED(model, "unknown element type 0");
    model = sparseModel({2, 2}, {2}, {1, 2});
    model.mutable_graph()->mutable_sparse_initializer(0)->mutable_values()->add_dims(1);
    REFUSED(model, "its values are not a list");
}

GRAPHLOOM_TESTS(TensorDefectsTest)

} // namespace graphloom::test::tensor_defects_test

#include "tensor_defects_test.moc"
