// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/team.h"

#include "tests/support/test_program.h"

#include <QScopeGuard>
#include <QTest>
#include <array>
#include <atomic>
#include <numeric>
#include <sched.h>
#include <tbb/global_control.h>
#include <thread>
#include <vector>

namespace graphloom::test::team_test {

class TeamTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyTaskRunsOnce_data();
    void everyTaskRunsOnce();
    void loopsSeeWhatLoopsBeforeWrote();
    void aWorkerRunsOneCallAtATime();
    void helpersTakePart();
    void oneThreadIsCalledOnce();
    void manyShortSessions();
    void tasksBeyondSixteenBits();
    void pinnedThreadsAreFreeAgain();
    void helpersThatLoseTheirCoresAreDoneWithout();

private:
    /// As many threads as the tests ask for, whatever the machine has.
    tbb::global_control m_threads{tbb::global_control::max_allowed_parallelism, 8};
};

void TeamTest::everyTaskRunsOnce_data()
{
    QTest::addColumn<unsigned>("threads");
    QTest::addColumn<int>("tasks");
    for (const unsigned threads : {1U, 2U, 3U, 7U})
        for (const int tasks : {0, 1, 2, 3, 8, 97, 4096})
            QTest::addRow("%u threads, %d tasks", threads, tasks) << threads << tasks;
}

void TeamTest::everyTaskRunsOnce()
{
    QFETCH(unsigned, threads);
    QFETCH(int, tasks);
    Team team(threads);
    Team::Session session(team);
    std::vector<std::atomic<int>> runs(std::size_t(tasks) + 1);
    std::atomic<bool> inside = true;
    for (int round = 0; round < 20; ++round)
        session.parallel(tasks, [&](std::int64_t first, std::int64_t last, unsigned worker) {
            if (first < 0 || first >= last || last > tasks || worker >= threads)
                inside = false;
            else
                for (auto i = first; i < last; ++i)
                    ++runs[std::size_t(i)];
        });
    QVERIFY(inside);
    for (int i = 0; i < tasks; ++i)
        QCOMPARE(runs[std::size_t(i)].load(), 20);
}

void TeamTest::loopsSeeWhatLoopsBeforeWrote()
{
    constexpr std::int64_t count = 1000;
    Team team(4);
    Team::Session session(team);
    std::vector<std::int64_t> values(count), next(count); // not atomic: the loops order them
    for (int round = 0; round < 500; ++round) {
        session.parallel(count, [&](std::int64_t first, std::int64_t last, unsigned) {
            for (auto i = first; i < last; ++i)
                next[std::size_t(i)] = values[std::size_t(count - 1 - i)] + 1;
        });
        values.swap(next);
    }
    QCOMPARE(std::accumulate(values.begin(), values.end(), std::int64_t{0}), 500 * count);
}

void TeamTest::aWorkerRunsOneCallAtATime()
{
    Team team(4);
    Team::Session session(team);
    std::vector<std::atomic<int>> busy(4);
    std::atomic<bool> overlap = false;
    for (int round = 0; round < 200; ++round)
        session.parallel(64, [&](std::int64_t, std::int64_t, unsigned worker) {
            if (busy[worker]++ != 0)
                overlap = true;
            --busy[worker];
        });
    QVERIFY(!overlap);
}

void TeamTest::helpersTakePart()
{
    Team team(2);
    Team::Session session(team);
    std::atomic<int> met = 0;
    // Two tasks that wait for each other: only two threads get through.
    session.parallel(2, [&](std::int64_t first, std::int64_t last, unsigned) {
        for (auto i = first; i < last; ++i)
            for (++met; met < 2;)
                std::this_thread::yield();
    });
    QCOMPARE(met.load(), 2);
}

void TeamTest::oneThreadIsCalledOnce()
{
    Team team(0);
    QCOMPARE(team.threads(), 1U);
    Team::Session session(team);
    int calls = 0;
    session.parallel(1'000'000'000'000,
                     [&](std::int64_t first, std::int64_t last, unsigned worker) {
                         QCOMPARE(first, std::int64_t{0});
                         QCOMPARE(last, std::int64_t{1'000'000'000'000});
                         QCOMPARE(worker, 0U);
                         ++calls;
                     });
    QCOMPARE(calls, 1);
}

void TeamTest::manyShortSessions()
{
    std::int64_t sum = 0;
    for (int i = 0; i < 200; ++i) {
        Team team(3);
        for (int j = 0; j < 5; ++j) {
            Team::Session session(team);
            std::atomic<std::int64_t> part = 0;
            session.parallel(
                10, [&](std::int64_t first, std::int64_t last, unsigned) { part += last - first; });
            sum += part;
        }
        Team::Session idle(team);
    }
    QCOMPARE(sum, std::int64_t{10'000});
}

void TeamTest::tasksBeyondSixteenBits()
{
    Team team(3);
    Team::Session session(team);
    for (const std::int64_t tasks : {65'535LL, 65'536LL, 1'000'003LL, 5'000'000'000LL}) {
        std::atomic<std::int64_t> count = 0;
        session.parallel(
            tasks, [&](std::int64_t first, std::int64_t last, unsigned) { count += last - first; });
        QCOMPARE(count.load(), tasks);
    }
}

void TeamTest::pinnedThreadsAreFreeAgain()
{
    const auto cores = [] {
        cpu_set_t set;
        return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
    };
    const int before = cores();
    if (before == 0 || !PinnedThread(0).pinned())
        QSKIP("this system does not let threads keep to a core");
    Team team(2, Team::Pinning::OneCoreEach);
    {
        Team::Session session(team);
        std::atomic<int> inside[2] = {1, 1};
        for (int round = 0; round < 100; ++round)
            session.parallel(
                8, [&](std::int64_t, std::int64_t, unsigned worker) { inside[worker] = cores(); });
        QCOMPARE(inside[0].load(), 1);
        QCOMPARE(inside[1].load(), 1);
    }
    QCOMPARE(cores(), before);
}

/// Whatever becomes of the helpers, every task is done once; and sooner or later the caller is seen
/// to do all of them.
void TeamTest::helpersThatLoseTheirCoresAreDoneWithout()
{
    std::atomic<bool> ended{false};
    std::atomic<int> pinned{0}, asked{0};
    std::vector<std::jthread> others; // on the core of the helper, more than it
    for (int i = 0; i < 3; ++i)
        others.emplace_back([&] {
            const PinnedThread pin(1);
            pinned += pin.pinned();
            for (++asked; !ended;) {
            }
        });
    const auto end = qScopeGuard([&] { ended = true; });
    while (asked < 3)
        std::this_thread::yield();
    if (pinned < 3)
        QSKIP("this system does not let threads keep to a second core");
    Team team(2, Team::Pinning::OneCoreEach);
    constexpr std::int64_t tasks = 64;
    std::atomic<bool> alone{false}; // two threads share what there is, so that each has a part
    for (int round = 0; round < 30 || !alone; ++round) {
        Team::Session session(team);
        for (int loop = 0; loop < 20; ++loop) {
            std::array<std::atomic<int>, tasks> done{};
            session.parallel(tasks, [&](std::int64_t first, std::int64_t last, unsigned) {
                if (first == 0 && last == tasks)
                    alone = true;
                for (std::int64_t task = first; task < last; ++task)
                    for (int work = 0; work < 1000; ++work)
                        done[std::size_t(task)] += work == 0;
            });
            for (const auto &count : done)
                QCOMPARE(count.load(), 1);
        }
    }
}

GRAPHLOOM_TESTS(TeamTest)

} // namespace graphloom::test::team_test

#include "team_test.moc"
