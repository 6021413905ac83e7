// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/algebra/range.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::range_test {

namespace {

const Shape matrix{2, 3};

Range rangeOfCall(const std::string &op, std::vector<Range> inputs,
                  std::vector<Attribute> attributes = {})
{
    const std::vector<Given> given(inputs.size(), Given(matrix));
    return rangeOf(OperatorCase(op, given, std::move(attributes)).description(), 0, inputs);
}

} // namespace

class RangeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ofOperators_data();
    void ofOperators();
    void ofSquares();
    void ofIntegersThatWrap();
    void divisionByWhatMayBeZero();
    void nothingIsKnownOfOpaqueCalls();
};

void RangeTest::ofOperators_data()
{
    QTest::addColumn<double>("least");
    QTest::addColumn<double>("most");
    QTest::newRow("Relu") << 0.0 << Range::infinity;
    QTest::newRow("Abs") << 0.0 << Range::infinity;
    QTest::newRow("Exp") << 0.0 << Range::infinity;
    QTest::newRow("Sqrt") << 0.0 << Range::infinity;
    QTest::newRow("Tanh") << -1.0 << 1.0;
    QTest::newRow("Sigmoid") << 0.0 << 1.0;
    QTest::newRow("Softmax") << 0.0 << Range::infinity;
    QTest::newRow("HardSigmoid") << 0.0 << 1.0;
    QTest::newRow("ReduceSumSquare") << 0.0 << Range::infinity;
    QTest::newRow("Cos") << -1.0 << 1.0;
    QTest::newRow("Neg") << -Range::infinity << Range::infinity;
    QTest::newRow("Identity") << -Range::infinity << Range::infinity;
}

void RangeTest::ofOperators()
{
    QFETCH(double, least);
    QFETCH(double, most);
    const Range range = rangeOfCall(QTest::currentDataTag(), {Range()});
    QVERIFY2(range.within({least, most}),
             qPrintable(QString("%1 to %2").arg(range.least).arg(range.most)));
}

void RangeTest::ofSquares()
{
    const OperatorCase square("ReduceSumSquare", {Given(matrix)});
    const Range range = rangeOf(square.description(), 0, std::vector{Range{-2, 1}});
    QCOMPARE(range.least, 0.0);
    QCOMPARE(range.most, 24.0);                                       // six elements of at most 4
    QCOMPARE(rangeOfCall("Mul", {{-2, 1}, {-2, 1}}), (Range{-2, 4})); // may be different values
}

void RangeTest::ofIntegersThatWrap()
{
    const OperatorCase sum("Add", {Given(matrix, DataType::Uint8), Given(matrix, DataType::Uint8)});
    QCOMPARE(rangeOf(sum.description(), 0, std::vector{Range{0, 200}, Range{0, 55}}),
             (Range{0, 255}));
    const OperatorCase difference("Sub",
                                  {Given(matrix, DataType::Uint8), Given(matrix, DataType::Uint8)});
    QCOMPARE(rangeOf(difference.description(), 0, std::vector{Range{5, 6}, Range{0, 9}}),
             (Range{0, 255}));
}

void RangeTest::divisionByWhatMayBeZero()
{
    QCOMPARE(rangeOfCall("Div", {{1, 2}, {2, 4}}), (Range{0.25, 1}));
    QCOMPARE(rangeOfCall("Div", {{1, 2}, {0, 4}}), Range::atLeast(0.25));
    QCOMPARE(rangeOfCall("Div", {{1, 2}, {-4, 0}}), (Range{-Range::infinity, -0.25}));
    QCOMPARE(rangeOfCall("Div", {{1, 2}, {-1, 4}}), Range());
}

void RangeTest::nothingIsKnownOfOpaqueCalls()
{
    const OperatorCase call("NonZero", {Given(matrix)});
    QCOMPARE(rangeOf(call.description(), 0, std::vector{Range{1, 2}}), rangeOf(DataType::Int64));
}

GRAPHLOOM_TESTS(RangeTest)

} // namespace graphloom::test::range_test

#include "range_test.moc"
