// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/describe/value_type.h"

#include "tests/support/test_program.h"

#include <onnx/onnx_pb.h>

#include <QTest>

namespace graphloom::test::value_type_test {

/// Serialized TypeProtos, against the protobuf classes.
class ValueTypeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writesWhatProtobufReads();
    void readsWhatProtobufWrites();
    void malformedTypesAreNothing();
};

void ValueTypeTest::writesWhatProtobufReads()
{
    const std::string type =
        valuetype::optionalOf(valuetype::sequenceOf(valuetype::tensorOf(DataType::Float8E5M2FNUZ)));
    onnx::TypeProto proto;
    QVERIFY(proto.ParseFromString(type));
    const auto &sequence = proto.optional_type().elem_type().sequence_type();
    QCOMPARE(sequence.elem_type().tensor_type().elem_type(), int(DataType::Float8E5M2FNUZ));
    QCOMPARE(proto.SerializeAsString(), type);
}

void ValueTypeTest::readsWhatProtobufWrites()
{
    onnx::TypeProto proto;
    proto.set_denotation("a picture");
    auto &tensor = *proto.mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type();
    tensor.set_elem_type(int(DataType::Int64));
    tensor.mutable_shape()->add_dim()->set_dim_param("n");
    const std::string type = proto.SerializeAsString();
    QVERIFY(!valuetype::elementOfOptional(type) && !valuetype::elementOfTensor(type));
    const auto element = valuetype::elementOfSequence(type);
    QVERIFY(element);
    QVERIFY(valuetype::elementOfTensor(*element) == DataType::Int64);
}

void ValueTypeTest::malformedTypesAreNothing()
{
    const std::string whole = valuetype::sequenceOf(valuetype::tensorOf(DataType::Float));
    for (std::size_t length = 0; length < whole.size(); ++length)
        QVERIFY(!valuetype::elementOfSequence(whole.substr(0, length)));
    const std::string endless(20, '\xff');
    QVERIFY(!valuetype::elementOfSequence(endless) && !valuetype::elementOfTensor(endless));
    // An element type that ONNX does not have.
    QVERIFY(!valuetype::elementOfTensor(std::string("\x0a\x03\x08\xff\x7f", 5)));
}

GRAPHLOOM_TESTS(ValueTypeTest)

} // namespace graphloom::test::value_type_test

#include "value_type_test.moc"
