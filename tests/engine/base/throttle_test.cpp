// SPDX-License-Identifier: Apache-2.0
#include "engine/base/throttle.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::throttle_test {

class ThrottleTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneCallInAnIntervalIsAllowed()
    {
        Throttle throttle(std::chrono::hours(1));
        QVERIFY(throttle.allows());
        QVERIFY(!throttle.allows());
    }

    void withoutAnIntervalAllAre()
    {
        Throttle throttle(std::chrono::hours(0));
        QVERIFY(throttle.allows());
        QVERIFY(throttle.allows());
    }
};

GRAPHLOOM_TESTS(ThrottleTest)

} // namespace graphloom::test::throttle_test

#include "throttle_test.moc"
