// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/uniform.h"
#include "tests/support/attribute.h"
#include "tests/support/graph_maker.h"
#include "tests/support/operator_run.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::uniform_test {

using graphloom::test::splat;

namespace {

/// "64x64 of 6": extents and value of a uniform result; "none".
QString resultOf(const std::string &op, const std::vector<TensorData> &inputs,
                 std::vector<Attribute> attributes = {})
{
    const OperatorRun run(op, {inputs.begin(), inputs.end()}, std::move(attributes));
    std::vector<const TensorData *> pointers;
    for (const TensorData &input : inputs)
        pointers.push_back(&input);
    const auto results = uniformResults(*run.describe(), run.call(), pointers);
    if (!results)
        return "none";
    const TensorData &data = results->front();
    QStringList extents;
    for (const std::int64_t extent : data.extents())
        extents << QString::number(extent);
    return QString("%1 of %2%3")
        .arg(extents.join('x'))
        .arg(data.real(0))
        .arg(data.isSplat() ? "" : ", in full");
}

} // namespace

class UniformTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void elementwise()
    {
        QCOMPARE(resultOf("Mul", {splat(2, {64, 64}), splat(3, {64, 1})}), QString("64x64 of 6"));
        QCOMPARE(resultOf("Mul", {splat(2, {64, 64}), floats({}, {0.5})}), QString("64x64 of 1"));
    }
    void movement()
    {
        QCOMPARE(resultOf("Transpose", {splat(2, {32, 64})}), QString("64x32 of 2"));
    }
    void hugeOnesAtOnce()
    {
        QCOMPARE(resultOf("Exp", {splat(0, {1 << 20, 1 << 20})}), QString("1048576x1048576 of 1"));
    }
    void otherConstants()
    {
        const std::vector<double> counted(64, 1);
        QCOMPARE(resultOf("Mul", {splat(2, {64, 64}), floats({64}, counted)}), QString("none"));
    }
    void smallResults()
    {
        QCOMPARE(resultOf("Mul", {splat(2, {4}), splat(3, {4})}), QString("none"));
    }
    void whatDependsOnPositions()
    {
        QCOMPARE(resultOf("Pad", {splat(2, {64, 64}), int64s({4}, {1, 1, 1, 1})}), QString("none"));
        QCOMPARE(resultOf("CumSum", {splat(2, {64, 64}), int64s({}, {0})}), QString("none"));
    }
};

GRAPHLOOM_TESTS(UniformTest)

} // namespace graphloom::test::uniform_test

#include "uniform_test.moc"
