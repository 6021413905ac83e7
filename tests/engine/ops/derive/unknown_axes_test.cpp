// SPDX-License-Identifier: Apache-2.0
// Operators whose axes an input gives that is computed while the model runs.
#include "engine/ops/describe/stage.h"
#include "tests/support/operator_case.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::unknown_axes_test {

namespace {

const Shape volume{2, 3, 4};

/// A list of integers that nothing is known of but its length.
Given someIntegers(const Dim &length)
{
    return Given(Shape{length}, DataType::Int64);
}

/// Unknown extents are shown as ?.
QString shapeOf(const OperatorCase &call)
{
    return QString::fromStdString(call.shape()).remove('"');
}

QString shapeOf(const std::string &op, const Dim &axes, std::vector<Attribute> attributes = {})
{
    return shapeOf(OperatorCase(op, {volume, someIntegers(axes)}, std::move(attributes), 1, 18));
}

} // namespace

class UnknownAxesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reductionsAreOpaque_data();
    void reductionsAreOpaque();
    void ranksOfReductions();
    void ranksOfSqueezedAndUnsqueezed();
    void pads();
    void axesAreReadWhenTheModelRuns();
};

void UnknownAxesTest::reductionsAreOpaque_data()
{
    QTest::addColumn<QString>("op");
    for (const char *op : {"ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax",
                           "ReduceMean", "ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare"})
        QTest::newRow(op) << op;
}

void UnknownAxesTest::reductionsAreOpaque()
{
    QFETCH(QString, op);
    const OperatorCase call(op.toStdString(), {volume, someIntegers(1)}, {}, 1, 18);
    const auto description = call.describe();
    QVERIFY2(description, description ? "" : description.error().text().c_str());
    QVERIFY(description->isOpaque());
    QCOMPARE(description->values.size(), 1u);
    QCOMPARE(description->values[0].shape->size(), 3u);
}

void UnknownAxesTest::ranksOfReductions()
{
    const Attribute drop{"keepdims", std::int64_t(0)};
    const Attribute none{"noop_with_empty_axes", std::int64_t(1)};
    QCOMPARE(shapeOf("ReduceSum", 2), QString("?x?x?"));
    QCOMPARE(shapeOf("ReduceSum", Dim::symbol("n")), QString("?x?x?"));
    QCOMPARE(shapeOf("ReduceSum", 2, {drop}), QString("?"));
    QCOMPARE(shapeOf("ReduceSum", 0, {drop}), QString("scalar"));
    QCOMPARE(shapeOf("ReduceSum", 0, {drop, none}), QString("?x?x?"));
    QVERIFY(shapeOf("ReduceSum", Dim::symbol("n"), {drop}).startsWith("unknown"));
    QVERIFY(shapeOf("ReduceSum", 4, {drop}).startsWith("unknown"));
}

void UnknownAxesTest::ranksOfSqueezedAndUnsqueezed()
{
    QCOMPARE(shapeOf("Squeeze", 2), QString("?"));
    QVERIFY(shapeOf("Squeeze", 4).startsWith("unknown"));
    QVERIFY(shapeOf("Squeeze", Dim::symbol("n")).startsWith("unknown"));
    QCOMPARE(shapeOf("Unsqueeze", 2), QString("?x?x?x?x?"));
    QVERIFY(shapeOf("Unsqueeze", Dim::symbol("n")).startsWith("unknown"));
}

void UnknownAxesTest::pads()
{
    const Given value(TensorData::splat(DataType::Float, {}, std::vector<std::byte>(4)));
    const OperatorCase call("Pad", {volume, Given::integers({1, 1}), value, someIntegers(1)}, {}, 1,
                            18);
    QVERIFY(call.description().isOpaque());
    QCOMPARE(shapeOf(call), QString("?x?x?"));
}

void UnknownAxesTest::axesAreReadWhenTheModelRuns()
{
    const TensorData x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    QCOMPARE(OperatorRun("ReduceSum", {x, int64s({1}, {-1})}).result(), QString("float 2x1: 6 15"));
    const OperatorRun twice("ReduceSum", {x, int64s({2}, {1, -1})});
    QVERIFY2(twice.refusal().contains("has a duplicate axis"), qPrintable(twice.refusal()));
}

GRAPHLOOM_TESTS(UnknownAxesTest)

} // namespace graphloom::test::unknown_axes_test

#include "unknown_axes_test.moc"
