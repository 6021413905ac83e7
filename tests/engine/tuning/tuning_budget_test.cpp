// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/tuning_budget.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::tuning_budget_test {

namespace {

constexpr double forever = 1e9; // seconds: what the test takes is nothing beside it

TuningBudget budgetOf(std::int64_t trials, std::int64_t counted = 0)
{
    TuningBudget budget(forever, trials, {});
    for (std::int64_t i = 0; i < counted; ++i)
        budget.count();
    return budget;
}

} // namespace

class TuningBudgetTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countedTrialsAreNoLongerLeft();
    void neverLessThanNoneIsLeft();
    void noTrialsIsNoLimit();
    void isNotOverWhileSomethingIsLeft();
    void isOverWhenTheTrialsAre();
    void isOverWithoutTime();
    void theTimeIsThatOfTheClock();
    void isOverWhenStopped();
    void sharesHaveTheirPartOfTheTrials();
    void sharesHaveTheirPartOfTheTime();
    void sharesAreOfWhatIsLeft();
    void sharesMayHaveNoTrials();
    void sharesOfNoLimitHaveNone();
    void sharesStopWithTheWhole();
    void spentIsThePartOfTheTrials();
    void noMoreThanAllIsSpent();
    void withoutALimitTrialsSpendNothing();
    void withoutTimeAllIsSpent();
};

void TuningBudgetTest::countedTrialsAreNoLongerLeft()
{
    const TuningBudget budget = budgetOf(5, 2);
    QCOMPARE(budget.trials(), std::int64_t(2));
    QCOMPARE(budget.trialsLeft(), std::int64_t(3));
}

void TuningBudgetTest::neverLessThanNoneIsLeft()
{
    QCOMPARE(budgetOf(2, 3).trialsLeft(), std::int64_t(0));
}

void TuningBudgetTest::noTrialsIsNoLimit()
{
    QVERIFY(budgetOf(1).hasTrialLimit());
    QVERIFY(!budgetOf(0).hasTrialLimit());
}

void TuningBudgetTest::isNotOverWhileSomethingIsLeft()
{
    QVERIFY(!budgetOf(2, 1).isOver());
    QVERIFY(!budgetOf(0, 1000).isOver());
}

void TuningBudgetTest::isOverWhenTheTrialsAre()
{
    QVERIFY(budgetOf(2, 2).isOver());
}

void TuningBudgetTest::isOverWithoutTime()
{
    QVERIFY(TuningBudget(0, 0, {}).isOver());
}

void TuningBudgetTest::theTimeIsThatOfTheClock()
{
    double seconds = 100;
    const TuningBudget budget(8, 0, {}, [&seconds] { return seconds; });
    seconds += 2;
    QCOMPARE(budget.secondsLeft(), 6.0);
    QCOMPARE(budget.shareOfRest(0.5).secondsLeft(), 3.0);
    seconds += 6;
    QVERIFY(budget.isOver());
}

void TuningBudgetTest::isOverWhenStopped()
{
    std::stop_source stop;
    const TuningBudget budget(forever, 2, stop.get_token());
    QVERIFY(!budget.isOver());
    stop.request_stop();
    QVERIFY(budget.isOver());
}

void TuningBudgetTest::sharesHaveTheirPartOfTheTrials()
{
    QCOMPARE(budgetOf(10).shareOfRest(0.35).trialsLeft(), std::int64_t(3));
}

void TuningBudgetTest::sharesHaveTheirPartOfTheTime()
{
    const double left = budgetOf(0).shareOfRest(0.25).secondsLeft();
    QVERIFY(left <= forever / 4 && left > forever / 5);
}

void TuningBudgetTest::sharesAreOfWhatIsLeft()
{
    const TuningBudget part = budgetOf(10, 4).shareOfRest(0.5);
    QCOMPARE(part.trials(), std::int64_t(0));
    QCOMPARE(part.trialsLeft(), std::int64_t(3));
}

void TuningBudgetTest::sharesMayHaveNoTrials()
{
    const TuningBudget part = budgetOf(2).shareOfRest(0.35);
    QVERIFY(part.hasTrialLimit()); // none is not any number
    QVERIFY(part.isOver());
}

void TuningBudgetTest::sharesOfNoLimitHaveNone()
{
    QVERIFY(!budgetOf(0).shareOfRest(0.01).hasTrialLimit());
}

void TuningBudgetTest::sharesStopWithTheWhole()
{
    std::stop_source stop;
    const TuningBudget part = TuningBudget(forever, 10, stop.get_token()).shareOfRest(0.5);
    stop.request_stop();
    QVERIFY(part.isStopped());
}

void TuningBudgetTest::spentIsThePartOfTheTrials()
{
    QCOMPARE(budgetOf(4, 1).fractionSpent(), 0.25);
}

void TuningBudgetTest::noMoreThanAllIsSpent()
{
    QCOMPARE(budgetOf(4, 5).fractionSpent(), 1.0);
}

void TuningBudgetTest::withoutALimitTrialsSpendNothing()
{
    QVERIFY(budgetOf(0, 1000).fractionSpent() < 1e-3);
}

void TuningBudgetTest::withoutTimeAllIsSpent()
{
    QCOMPARE(TuningBudget(0, 4, {}).fractionSpent(), 1.0);
}

GRAPHLOOM_TESTS(TuningBudgetTest)

} // namespace graphloom::test::tuning_budget_test

#include "tuning_budget_test.moc"
