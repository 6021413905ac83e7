// SPDX-License-Identifier: Apache-2.0
#include "engine/search/archive_search.h"

#include "engine/base/hash.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::archive_search_test {

namespace {

using Costs = std::pair<double, double>;

/// Numbers below 4096 with two rugged costs that pull in opposite directions; which moves are
/// looked at depends on the seed and the visit.
struct Numbers {
    using State = int;
    using Hash = std::uint64_t;

    Costs costs(int state) const
    {
        const auto noise = [&](std::uint64_t salt) {
            return double(scramble(std::uint64_t(state) * 2 + salt) % 500);
        };
        return {double(state) + noise(0), double(4096 - state) + noise(1)};
    }
    Hash hash(int state) const { return std::uint64_t(state); }
    std::vector<int> expand(int state, std::uint64_t visit) const
    {
        std::vector<int> next;
        for (std::uint64_t move = 0; move < 6; ++move) {
            const std::uint64_t random =
                scramble(scramble(seed ^ std::uint64_t(state)) + visit * 64 + move);
            const int step = int(random % 400) - 200;
            if (state + step >= 0 && state + step < 4096)
                next.push_back(state + step);
        }
        return next;
    }
    double interest(double, double) const { return 1; }
    double objective(const ParetoArchive<int> &archive) const
    {
        double least = 1e9;
        for (const auto &entry : archive.entries())
            least = std::min(least, entry.first + entry.second);
        return least;
    }
    std::uint64_t niche(int state) const { return std::uint64_t(state) / 1024; }
    void accepted(int) const {}

    std::uint64_t seed = 0;
};

SearchOptions optionsOf(std::uint64_t expanded, unsigned threads = 2)
{
    SearchOptions options;
    options.expanded = expanded;
    options.threads = threads;
    return options;
}

std::vector<int> statesOf(const ParetoArchive<int> &archive)
{
    std::vector<int> states;
    for (const auto &entry : archive.entries())
        states.push_back(entry.state);
    return states;
}

std::vector<int> searched(const Numbers &problem, const SearchOptions &options)
{
    ArchiveSearch search(problem, options);
    for (const int start : {7, 2000, 4000})
        search.seed(start);
    return statesOf(search.run());
}

bool isFront(const ParetoArchive<int> &archive)
{
    const auto &entries = archive.entries();
    for (std::size_t i = 1; i < entries.size(); ++i)
        if (!(entries[i - 1].first < entries[i].first && entries[i - 1].second > entries[i].second))
            return false;
    return true;
}

/// Does some entry cost no more than these, in both?
bool covers(const ParetoArchive<int> &archive, const Costs &costs)
{
    return std::ranges::any_of(archive.entries(), [&](const auto &entry) {
        return entry.first <= costs.first && entry.second <= costs.second;
    });
}

} // namespace

class ArchiveSearchTest final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theArchiveStaysAFront();
    void itCoversEverythingThatWasAdded();
    void whatIsAsGoodIsNotTaken();
    void theBestWithinALimit();
    void aSearchIsNeverWorseThanItsSeeds();
    void threadsDoNotChangeTheResult();
    void theSeedDoes();
    void aStoppedSearchKeepsTheBest();
    void stoppedAtOnceItHasItsSeeds();
    void theStatesBudgetHolds();
    void withoutSeedsThereIsNothingToDo();
    void theHistoryDescends();
    void whatInterestsIsLookedAtMoreOften();
};

void ArchiveSearchTest::theArchiveStaysAFront()
{
    const Numbers problem;
    ParetoArchive<int> archive;
    for (int i = 0; i < 2000; ++i) {
        const int state = int(scramble(std::uint64_t(i)) % 4096);
        const auto [first, second] = problem.costs(state);
        archive.add(std::floor(first / 50), std::floor(second / 50), state); // with many ties
        QVERIFY(isFront(archive));
    }
    QVERIFY(archive.entries().size() > 10);
}

void ArchiveSearchTest::itCoversEverythingThatWasAdded()
{
    const Numbers problem;
    ParetoArchive<int> archive;
    for (int state = 0; state < 4096; state += 3) {
        const auto [first, second] = problem.costs(state);
        const bool covered = covers(archive, {first, second});
        QCOMPARE(bool(archive.add(first, second, state)), !covered);
    }
    for (int state = 0; state < 4096; state += 3)
        QVERIFY(covers(archive, problem.costs(state)));
}

void ArchiveSearchTest::whatIsAsGoodIsNotTaken()
{
    ParetoArchive<int> archive;
    QVERIFY(archive.add(2, 2, 0));
    QVERIFY(!archive.add(2, 2, 1));
    QVERIFY(!archive.add(3, 2, 2));
    QVERIFY(!archive.add(2, 3, 3));
    QVERIFY(archive.add(1, 3, 4));
    QVERIFY(archive.add(3, 1, 5));
    QCOMPARE(statesOf(archive), (std::vector{4, 0, 5}));
    QVERIFY(archive.add(2, 1, 6)); // beats two of them
    QCOMPARE(statesOf(archive), (std::vector{4, 6}));
}

void ArchiveSearchTest::theBestWithinALimit()
{
    ParetoArchive<int> archive;
    for (const auto &[first, second] : {Costs{1, 9}, {2, 5}, {4, 3}})
        archive.add(first, second, int(first));
    QCOMPARE(archive.bestWithinFirst(3)->state, 2);
    QCOMPARE(archive.bestWithinFirst(4)->state, 4);
    QVERIFY(!archive.bestWithinFirst(0.5));
    QCOMPARE(archive.bestWithinSecond(5)->state, 2);
    QCOMPARE(archive.bestWithinSecond(100)->state, 1);
    QVERIFY(!archive.bestWithinSecond(2));
}

void ArchiveSearchTest::aSearchIsNeverWorseThanItsSeeds()
{
    const Numbers problem;
    ArchiveSearch search(problem, optionsOf(200));
    for (const int start : {7, 2000, 4000})
        search.seed(start);
    const auto &archive = search.run();
    QVERIFY(isFront(archive));
    for (const int start : {7, 2000, 4000})
        QVERIFY(covers(archive, problem.costs(start)));
    QVERIFY(archive.entries().size() > 3); // and found others
}

void ArchiveSearchTest::threadsDoNotChangeTheResult()
{
    for (const std::uint64_t seed : {1, 2, 3}) {
        const Numbers problem{seed};
        const std::vector<int> one = searched(problem, optionsOf(160, 1));
        QCOMPARE(searched(problem, optionsOf(160, 4)), one);
        QCOMPARE(searched(problem, optionsOf(160, 2)), one);
    }
}

void ArchiveSearchTest::theSeedDoes()
{
    QVERIFY(searched(Numbers{1}, optionsOf(160)) != searched(Numbers{2}, optionsOf(160)));
}

void ArchiveSearchTest::aStoppedSearchKeepsTheBest()
{
    const Numbers problem;
    std::stop_source stop;
    SearchOptions options;
    options.stop = stop.get_token();
    ArchiveSearch search(problem, options);
    search.seed(2000);
    std::vector<int> last;
    int improvements = 0;
    const auto &archive = search.run([&](const ParetoArchive<int> &found) {
        last = statesOf(found);
        if (++improvements == 5)
            stop.request_stop();
    });
    // What had been expanded by then counts.
    QVERIFY(improvements == 5 || improvements == 6);
    QCOMPARE(statesOf(archive), last);
    QVERIFY(covers(archive, problem.costs(2000)));
}

void ArchiveSearchTest::stoppedAtOnceItHasItsSeeds()
{
    const Numbers problem;
    std::stop_source stop;
    stop.request_stop();
    SearchOptions options;
    options.stop = stop.get_token();
    ArchiveSearch search(problem, options);
    search.seed(2000);
    QCOMPARE(statesOf(search.run()), std::vector{2000});
    QCOMPARE(search.record().expanded, std::uint64_t(0));
}

void ArchiveSearchTest::theStatesBudgetHolds()
{
    const Numbers problem;
    ArchiveSearch search(problem, optionsOf(64));
    search.seed(2000);
    search.run();
    const SearchRecord &record = search.record();
    QVERIFY(record.expanded >= 64 && record.expanded < 64 + SearchOptions().batch);
    QVERIFY(record.generated > record.filtered);
}

void ArchiveSearchTest::withoutSeedsThereIsNothingToDo()
{
    const Numbers problem;
    ArchiveSearch search(problem, optionsOf(0));
    QVERIFY(search.run().entries().empty());
}

void ArchiveSearchTest::theHistoryDescends()
{
    const Numbers problem;
    ArchiveSearch search(problem, optionsOf(200));
    search.seed(2000);
    const double end = problem.objective(search.run());
    const auto &history = search.record().history;
    QCOMPARE(history.back().cost, end);
    for (std::size_t i = 1; i < history.size(); ++i)
        QVERIFY(history[i].cost < history[i - 1].cost);
}

void ArchiveSearchTest::whatInterestsIsLookedAtMoreOften()
{
    /// Five states of which none beats another, without moves; the third is what is asked for.
    struct Five : Numbers {
        Costs costs(int state) const { return {double(state), double(-state)}; }
        std::vector<int> expand(int, std::uint64_t) const { return {}; }
        double interest(double first, double) const { return first == 2 ? 0.125 : 1; }
    };
    const Five problem;
    SearchOptions options = optionsOf(120);
    options.batch = 1;
    ArchiveSearch search(problem, options);
    for (int state = 0; state < 5; ++state)
        search.seed(state);
    const auto &entries = search.run().entries();
    QCOMPARE(entries.size(), std::size_t(5));
    for (const auto &entry : entries)
        QVERIFY(entry.visits > 0 && (entry.state == 2 || entry.visits * 4 < entries[2].visits));
}

GRAPHLOOM_TESTS(ArchiveSearchTest)

} // namespace graphloom::test::archive_search_test

#include "archive_search_test.moc"
