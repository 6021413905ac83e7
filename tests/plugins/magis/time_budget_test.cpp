// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/time_budget.h"

#include "tests/support/test_program.h"

namespace graphloom::test::time_budget_test {

using graphloom::magis::TimeBudget;

class TimeBudgetTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theSearchHasWhatPreparingAndFinishingLeave()
    {
        double now = 100;
        const TimeBudget budget([&] { return now; }, 12);
        QVERIFY(!budget.isLateToPrepare());
        now = 103;
        QCOMPARE(budget.elapsed(), 3.0);
        QCOMPARE(budget.toSearch(3, 0.5), 8.5);
        now = 104;
        QVERIFY(budget.isLateToPrepare());
    }
    void someOfItIsForTheSearchInAnyCase()
    {
        const TimeBudget budget([] { return 0.0; }, 10);
        QVERIFY(budget.toSearch(20, 5) > 0);
    }
    void withoutSecondsThereIsNoLimit()
    {
        double now = 0;
        const TimeBudget budget([&] { return now; }, 0);
        now = 1e6;
        QVERIFY(!budget.isLateToPrepare());
        QCOMPARE(budget.toSearch(1e6, 1e6), 0.0);
    }
};

GRAPHLOOM_TESTS(TimeBudgetTest)

} // namespace graphloom::test::time_budget_test

#include "time_budget_test.moc"
