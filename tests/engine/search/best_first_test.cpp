// SPDX-License-Identifier: Apache-2.0
#include "engine/search/best_first.h"

#include "engine/base/hash.h"
#include "tests/support/test_program.h"

#include <QTest>
#include <atomic>

namespace graphloom::test::best_first_test {

namespace {

/// RuggedNumbers below 1000 with a rugged cost; a move adds or takes 1, 10 or 100.
struct RuggedNumbers {
    using State = int;

    double cost(int state) const { return double(scramble(std::uint64_t(state)) % 1000) + 1000; }
    std::uint64_t hash(int state) const { return std::uint64_t(state); }
    std::vector<int> expand(int state) const
    {
        ++expansions;
        std::vector<int> next;
        for (const int step : {1, 10, 100})
            for (const int way : {step, -step})
                if (state + way >= 0 && state + way < 1000)
                    next.push_back(state + way);
        return next;
    }
    int cheapest() const
    {
        int best = 0;
        for (int state = 1; state < 1000; ++state)
            if (cost(state) < cost(best))
                best = state;
        return best;
    }

    mutable std::atomic<int> expansions = 0;
};

SearchOptions expanding(std::uint64_t expanded, unsigned threads = 2)
{
    SearchOptions options;
    options.expanded = expanded;
    options.threads = threads;
    return options;
}

} // namespace

class BestFirstTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withoutABudgetItFindsTheCheapest();
    void noStateIsExpandedTwice();
    void theStatesBudgetHolds();
    void theTimeBudgetHolds();
    void aStoppedSearchGivesTheBestSoFar();
    void threadsDoNotChangeTheResult();
    void theHistoryDescends();
    void theFrontierStaysBelowItsSize();
};

void BestFirstTest::withoutABudgetItFindsTheCheapest()
{
    const RuggedNumbers problem;
    BestFirstSearch search(problem, expanding(0));
    QCOMPARE(problem.cost(search.run(500)), problem.cost(problem.cheapest()));
    QVERIFY(search.record().exhausted);
}

void BestFirstTest::noStateIsExpandedTwice()
{
    const RuggedNumbers problem;
    BestFirstSearch search(problem, expanding(0));
    search.run(500);
    QCOMPARE(int(problem.expansions), 1000);
    const SearchRecord &record = search.record();
    QCOMPARE(record.generated - record.filtered, std::uint64_t(999)); // all but the start
}

void BestFirstTest::theStatesBudgetHolds()
{
    const RuggedNumbers problem;
    BestFirstSearch search(problem, expanding(16));
    search.run(500);
    QCOMPARE(search.record().expanded, std::uint64_t(1 + 6 + 8 + 8)); // whole batches
    QVERIFY(!search.record().exhausted);
}

void BestFirstTest::theTimeBudgetHolds()
{
    const RuggedNumbers problem;
    SearchOptions options;
    options.seconds = 3;
    options.clock = [now = 0.0]() mutable { return now += 1; };
    BestFirstSearch search(problem, options);
    search.run(500);
    QVERIFY(!search.record().exhausted);
}

void BestFirstTest::aStoppedSearchGivesTheBestSoFar()
{
    const RuggedNumbers problem;
    std::stop_source stop;
    SearchOptions options;
    options.stop = stop.get_token();
    BestFirstSearch search(problem, options);
    int best = 0;
    const int found = search.run(500, [&](int state) {
        best = state;
        stop.request_stop();
    });
    QCOMPARE(found, best);
    QVERIFY(problem.cost(found) < problem.cost(500));
}

void BestFirstTest::threadsDoNotChangeTheResult()
{
    const RuggedNumbers problem;
    for (const int start : {3, 500, 997}) {
        BestFirstSearch one(problem, expanding(40, 1)), four(problem, expanding(40, 4));
        QCOMPARE(one.run(start), four.run(start));
        QCOMPARE(one.record().generated, four.record().generated);
    }
}

void BestFirstTest::theHistoryDescends()
{
    const RuggedNumbers problem;
    BestFirstSearch search(problem, expanding(100));
    const int best = search.run(500);
    const auto &history = search.record().history;
    QCOMPARE(history.front().cost, problem.cost(500));
    QCOMPARE(history.back().cost, problem.cost(best));
    for (std::size_t i = 1; i < history.size(); ++i)
        QVERIFY(history[i].cost < history[i - 1].cost);
}

void BestFirstTest::theFrontierStaysBelowItsSize()
{
    const RuggedNumbers problem;
    SearchOptions options = expanding(0);
    options.frontier = 4;
    BestFirstSearch search(problem, options);
    search.run(500);
    QVERIFY(int(problem.expansions) < 1000); // what was forgotten is not looked at
}

GRAPHLOOM_TESTS(BestFirstTest)

} // namespace graphloom::test::best_first_test

#include "best_first_test.moc"
