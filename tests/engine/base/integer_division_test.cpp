// SPDX-License-Identifier: Apache-2.0
#include "engine/base/integer_division.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::integer_division_test {

class IntegerDivisionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void roundsUp();
    void roundsDownBelowZero();
    void multiples();
};

void IntegerDivisionTest::roundsUp()
{
    for (std::int64_t a = 0; a < 30; ++a)
        for (std::int64_t b = 1; b < 9; ++b)
            QCOMPARE(double(ceilDiv(a, b)), std::ceil(double(a) / double(b)));
}

void IntegerDivisionTest::roundsDownBelowZero()
{
    for (std::int64_t a = -30; a < 30; ++a)
        for (const std::int64_t b : {-4, -3, -1, 1, 2, 5, 7})
            QCOMPARE(double(floorDiv(a, b)), std::floor(double(a) / double(b)));
}

void IntegerDivisionTest::multiples()
{
    QCOMPARE(roundUp(0, 64), 0);
    QCOMPARE(roundUp(1, 64), 64);
    QCOMPARE(roundUp(64, 64), 64);
    QCOMPARE(roundUp(65, 64), 128);
}

GRAPHLOOM_TESTS(IntegerDivisionTest)

} // namespace graphloom::test::integer_division_test

#include "integer_division_test.moc"
