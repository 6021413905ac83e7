// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/weights.h"
#include "tests/support/operator_case.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::weights_test {

class WeightsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void loopsOfOneIterationCountNothing();
    void symbolsCountAsGiven();
    void theWeightIsThatOfEquationOne();
};

void WeightsTest::loopsOfOneIterationCountNothing()
{
    const OperatorCase relu("Relu", {Shape{1, 8, 16, 1}});
    QCOMPARE(ago::loopProduct(relu.description(), 64), 3.0 * 4.0);
    const OperatorCase scalar("Relu", {Shape{1, 1}});
    QCOMPARE(ago::loopProduct(scalar.description(), 64), 0.0);
}

void WeightsTest::symbolsCountAsGiven()
{
    const OperatorCase relu("Relu", {Shape{Dim::symbol("n"), 8}});
    QCOMPARE(ago::loopProduct(relu.description(), 64), 6.0 * 3.0);
    QCOMPARE(ago::loopProduct(relu.description(), 4), 2.0 * 3.0);
}

void WeightsTest::theWeightIsThatOfEquationOne()
{
    QCOMPARE(ago::tuningWeight(12, 2, 5), 2 * 12.0 + 5);
    QCOMPARE(ago::tuningWeight(0, 2, 5), 5.0);
}

GRAPHLOOM_TESTS(WeightsTest)

} // namespace graphloom::test::weights_test

#include "weights_test.moc"
