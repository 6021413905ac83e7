// SPDX-License-Identifier: Apache-2.0
// Sequences and optionals: the types of what operators give, their kernels, what they refuse.
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/describe/value_type.h"
#include "tests/support/attribute.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::entries_sequence_test {

namespace {

/// An operator call on given values, of whatever kind.
class ValueRun {
public:
    using Input = std::optional<DataValue>;

    ValueRun(std::string op, std::vector<Input> inputs, std::vector<Attribute> attributes = {})
        : m_inputs(std::move(inputs))
    {
        m_node.op = std::move(op);
        m_node.name = "under test";
        m_node.attributes = Attributes(std::move(attributes));
        m_node.outputs = {TensorId{100}};
        for (const Input &input : m_inputs) {
            m_node.inputs.push_back(input ? TensorId{std::uint32_t(m_tensors.size())} : TensorId());
            m_tensors.push_back(input ? tensorOf(*input) : Tensor());
        }
    }
    ValueRun(const ValueRun &) = delete;

    Call call() const
    {
        std::vector<const Tensor *> known;
        for (std::size_t i = 0; i < m_inputs.size(); ++i)
            known.push_back(m_inputs[i] ? &m_tensors[i] : nullptr);
        return Call(m_node, std::move(known), 17, std::uint64_t{1} << 30);
    }
    /// "{float 2: 1 2; float 1: 3}" for a sequence; the message when it was refused.
    QString result() const
    {
        std::vector<const DataValue *> inputs;
        for (const Input &input : m_inputs)
            inputs.push_back(input ? &*input : nullptr);
        if (const auto description = describe(call()); !description)
            return QString::fromStdString(description.error().message);
        const auto outputs = findOperator("", m_node.op, 17)->valueKernel(call(), inputs, {});
        return outputs ? textOfValue(outputs->front())
                       : QString::fromStdString(outputs.error().message);
    }
    /// What is known beforehand of the first output.
    Value value() const { return describe(call())->values.front(); }

private:
    static std::string typeOf(const DataValue &value)
    {
        if (const TensorData *data = value.tensor())
            return valuetype::tensorOf(data->type());
        const std::string element = value.elements().empty() ? valuetype::tensorOf(DataType::Float)
                                                             : typeOf(value.elements()[0]);
        return value.kind() == DataValue::Kind::Sequence ? valuetype::sequenceOf(element)
                                                         : valuetype::optionalOf(element);
    }
    static Tensor tensorOf(const DataValue &value)
    {
        if (const TensorData *data = value.tensor())
            return Tensor::of("in", *data);
        Tensor tensor;
        tensor.name = "in";
        tensor.otherType = typeOf(value);
        return tensor;
    }
    static QString textOfValue(const DataValue &value)
    {
        if (value.tensor())
            return textOf(*value.tensor());
        QStringList elements;
        for (const DataValue &element : value.elements())
            elements << textOfValue(element);
        return "{" + elements.join("; ") + "}";
    }

    Node m_node;
    std::vector<Input> m_inputs;
    std::vector<Tensor> m_tensors;
};

const TensorData one = floats({1}, {1}), two = floats({2}, {2, 2}), three = floats({1}, {3});
DataValue sequence(std::vector<DataValue> elements)
{
    return DataValue::sequence(std::move(elements));
}
TensorData position(double at)
{
    return int64s({}, {at});
}

} // namespace

class EntriesSequenceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void typesAreFollowed();
    void elements();
    void insertions();
    void erasures();
    void splits();
    void splitsIntoTooMany();
    void joins();
    void optionals();
    void refusals();
};

void EntriesSequenceTest::typesAreFollowed()
{
    const std::string reals = valuetype::sequenceOf(valuetype::tensorOf(DataType::Float));
    QCOMPARE(ValueRun("SequenceConstruct", {one, two}).value().otherType, reals);
    QCOMPARE(ValueRun("SequenceEmpty", {}).value().otherType, reals);
    QCOMPARE(ValueRun("SequenceInsert", {sequence({one}), two}).value().otherType, reals);
    const Value element = ValueRun("SequenceAt", {sequence({one}), position(0)}).value();
    QCOMPARE(element.type, DataType::Float);
    QVERIFY(element.otherType.empty() && !element.shape);
    QCOMPARE(ValueRun("Optional", {sequence({one})}).value().otherType,
             valuetype::optionalOf(reals));
    QCOMPARE(
        ValueRun("OptionalGetElement", {DataValue::optional(sequence({one}))}).value().otherType,
        reals);
    QCOMPARE(ValueRun("Identity", {sequence({one})}).value().otherType, reals);
}

void EntriesSequenceTest::elements()
{
    const DataValue both = sequence({one, two});
    QCOMPARE(ValueRun("SequenceConstruct", {one, two}).result(),
             QString("{float 1: 1; float 2: 2 2}"));
    QCOMPARE(ValueRun("SequenceAt", {both, position(1)}).result(), QString("float 2: 2 2"));
    QCOMPARE(ValueRun("SequenceAt", {both, position(-2)}).result(), QString("float 1: 1"));
    QCOMPARE(ValueRun("SequenceLength", {both}).result(), QString("int64 scalar: 2"));
    QCOMPARE(ValueRun("SequenceLength", {sequence({})}).result(), QString("int64 scalar: 0"));
}

void EntriesSequenceTest::insertions()
{
    const DataValue both = sequence({one, two});
    const auto inserted = [&](const ValueRun::Input &at) {
        return ValueRun("SequenceInsert", {both, three, at}).result();
    };
    QCOMPARE(inserted(std::nullopt), QString("{float 1: 1; float 2: 2 2; float 1: 3}"));
    QCOMPARE(inserted(position(2)), inserted(std::nullopt));
    QCOMPARE(inserted(position(0)), QString("{float 1: 3; float 1: 1; float 2: 2 2}"));
    QCOMPARE(inserted(position(-1)), QString("{float 1: 1; float 1: 3; float 2: 2 2}"));
    QCOMPARE(ValueRun("SequenceInsert", {sequence({}), three}).result(), QString("{float 1: 3}"));
}

void EntriesSequenceTest::erasures()
{
    const DataValue both = sequence({one, two});
    QCOMPARE(ValueRun("SequenceErase", {both}).result(), QString("{float 1: 1}"));
    QCOMPARE(ValueRun("SequenceErase", {both, position(0)}).result(), QString("{float 2: 2 2}"));
}

void EntriesSequenceTest::splits()
{
    const TensorData x = floats({3, 2}, {1, 2, 3, 4, 5, 6});
    const auto split = [&](std::vector<ValueRun::Input> parts, std::vector<Attribute> attributes) {
        parts.insert(parts.begin(), x);
        return ValueRun("SplitToSequence", std::move(parts), std::move(attributes)).result();
    };
    QCOMPARE(split({}, {}), QString("{float 1x2: 1 2; float 1x2: 3 4; float 1x2: 5 6}"));
    QCOMPARE(split({}, {integer("axis", 1), integer("keepdims", 0)}),
             QString("{float 3: 1 3 5; float 3: 2 4 6}"));
    QCOMPARE(split({position(2)}, {}), QString("{float 2x2: 1 2 3 4; float 1x2: 5 6}"));
    QCOMPARE(split({int64s({2}, {1, 2})}, {integer("keepdims", 0)}), // only without a split
             QString("{float 1x2: 1 2; float 2x2: 3 4 5 6}"));
    QVERIFY(split({position(0)}, {}).contains("cannot split into parts of size 0"));
    QVERIFY(split({int64s({2}, {1, 1})}, {}).contains("do not add up to the extent 3"));
    QVERIFY(split({int64s({2}, {4, -1})}, {}).contains("do not add up"));
    QVERIFY(split({}, {integer("axis", 2)}).contains("axis 2"));
}

/// However little the parts hold.
void EntriesSequenceTest::splitsIntoTooMany()
{
    const auto split = [](std::vector<ValueRun::Input> inputs) {
        return ValueRun("SplitToSequence", std::move(inputs)).result();
    };
    constexpr std::int64_t many = std::int64_t{1} << 50;
    const TensorData empty = floats({many, 0}, {});
    QCOMPARE(split({empty, int64s({}, {double(many)})}), // one part
             QString("{float 1125899906842624x0: }"));
    QVERIFY(split({empty}).contains("parts do not fit into memory"));
    QVERIFY(split({empty, int64s({}, {2})}).contains("parts do not fit into memory"));
    const auto zeros = TensorData::splat(DataType::Int64, {many}, std::vector<std::byte>(8));
    QVERIFY(split({floats({0}, {}), zeros}).contains("parts do not fit into memory"));
}

void EntriesSequenceTest::joins()
{
    const TensorData a = floats({2, 1}, {1, 2}), b = floats({2, 2}, {3, 4, 5, 6});
    QCOMPARE(ValueRun("ConcatFromSequence", {sequence({a, b})}, {integer("axis", 1)}).result(),
             QString("float 2x3: 1 3 4 2 5 6"));
    QCOMPARE(ValueRun("ConcatFromSequence", {sequence({a, a})},
                      {integer("axis", -1), integer("new_axis", 1)})
                 .result(),
             QString("float 2x1x2: 1 1 2 2"));
    const auto refused = [](std::vector<DataValue> elements, std::int64_t axis,
                            std::int64_t newAxis) {
        return ValueRun("ConcatFromSequence", {sequence(std::move(elements))},
                        {integer("axis", axis), integer("new_axis", newAxis)})
            .result();
    };
    QVERIFY(refused({a, b}, 0, 0).contains("different types or shapes"));
    QVERIFY(refused({a, b}, 0, 1).contains("different types or shapes"));
    QVERIFY(refused({a, floats({}, {1})}, 1, 0).contains("different types or shapes"));
    QVERIFY(refused({a, floats({}, {1})}, 2, 1).contains("different types or shapes"));
    QVERIFY(refused({a, int64s({2, 1}, {1, 2})}, 0, 0).contains("different types or shapes"));
    QVERIFY(refused({}, 0, 0).contains("an empty sequence"));
    QVERIFY(refused({a}, 2, 0).contains("axis 2"));
}

void EntriesSequenceTest::optionals()
{
    const DataValue none = DataValue::optional(std::nullopt), some = DataValue::optional(one);
    QCOMPARE(ValueRun("Optional", {one}).result(), QString("{float 1: 1}"));
    QCOMPARE(ValueRun("Optional", {}).result(), QString("{}"));
    QCOMPARE(ValueRun("OptionalHasElement", {some}).result(), QString("bool scalar: 1"));
    QCOMPARE(ValueRun("OptionalHasElement", {none}).result(), QString("bool scalar: 0"));
    QCOMPARE(ValueRun("OptionalHasElement", {}).result(), QString("bool scalar: 0"));
    QCOMPARE(ValueRun("OptionalGetElement", {some}).result(), QString("float 1: 1"));
    QVERIFY(ValueRun("OptionalGetElement", {none}).result().contains("has no element"));
}

void EntriesSequenceTest::refusals()
{
    const DataValue both = sequence({one, two});
    for (const double at : {2., -3.})
        QVERIFY(ValueRun("SequenceAt", {both, position(at)})
                    .result()
                    .contains("out of range for a sequence"));
    QVERIFY(ValueRun("SequenceInsert", {both, three, position(3)})
                .result()
                .contains("a sequence of length 2"));
    QVERIFY(ValueRun("SequenceErase", {sequence({})}).result().contains("a sequence of length 0"));
    QVERIFY(
        ValueRun("SequenceAt", {both, int64s({2}, {0, 1})}).result().contains("a single integer"));
    QVERIFY(ValueRun("SequenceLength", {one}).result().contains("is not a sequence"));
    QVERIFY(ValueRun("SequenceConstruct", {one, position(0)}).result().contains("float and int64"));
    QVERIFY(
        ValueRun("SequenceInsert", {both, position(0)}).result().contains("whose type differs"));
}

GRAPHLOOM_TESTS(EntriesSequenceTest)

} // namespace graphloom::test::entries_sequence_test

#include "entries_sequence_test.moc"
