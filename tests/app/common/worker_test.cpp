// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/worker.h"

#include "tests/support/test_program.h"

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTest>

#include <atomic>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>

namespace graphloom::test::worker_test {

namespace {

int untilStopped(std::stop_token stop)
{
    while (!stop.stop_requested())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return -1;
}

} // namespace

class WorkerTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theResultArrivesOnThisThread()
    {
        Worker worker;
        const auto here = std::this_thread::get_id();
        std::thread::id worked, reported;
        worker.start(
            [&](std::stop_token) {
                worked = std::this_thread::get_id();
                return 42;
            },
            [&](int) { reported = std::this_thread::get_id(); });
        QVERIFY(worker.isRunning());
        QVERIFY(QTest::qWaitFor([&] { return !worker.isRunning(); }));
        QVERIFY(worked != here);
        QCOMPARE(reported, here);
    }

    void theNewestWins()
    {
        Worker worker;
        std::vector<int> results;
        worker.start(untilStopped, [&](int result) { results.push_back(result); });
        worker.start([](std::stop_token) { return 2; },
                     [&](int result) { results.push_back(result); });
        QVERIFY(QTest::qWaitFor([&] { return !results.empty(); }));
        QTest::qWait(50);
        QCOMPARE(results, std::vector<int>{2});
    }

    void stoppedWorkStillReports()
    {
        Worker worker;
        int result = 0;
        worker.start(untilStopped, [&](int r) { result = r; });
        worker.stop();
        QVERIFY(QTest::qWaitFor([&] { return result != 0; }));
        QCOMPARE(result, -1);
    }

    void abandonedWorkDoesNot()
    {
        Worker worker;
        bool reported = false;
        worker.start(untilStopped, [&](int) { reported = true; });
        worker.abandon();
        QVERIFY(!worker.isRunning());
        QTest::qWait(50);
        QVERIFY(!reported);
    }

    void theOneThatWasStoppedSaysSo()
    {
        Worker worker;
        QVERIFY(!worker.isStopped());
        worker.start(untilStopped, [](int) {});
        QVERIFY(!worker.isStopped());
        worker.stop();
        QVERIFY(QTest::qWaitFor([&] { return !worker.isRunning(); }));
        QVERIFY(worker.isStopped());
        worker.start([](std::stop_token) { return 1; }, [](int) {});
        QVERIFY(!worker.isStopped());
    }

    void whatARunPostsArrivesOnThisThread()
    {
        Worker worker;
        std::thread::id told;
        worker.start(
            [&told, post = worker.poster()](std::stop_token stop) {
                post([&told] { told = std::this_thread::get_id(); });
                return untilStopped(stop);
            },
            [](int) {});
        QVERIFY(QTest::qWaitFor([&] { return told != std::thread::id(); }));
        QCOMPARE(told, std::this_thread::get_id());
    }

    void whatAnAbandonedRunPostsIsDropped()
    {
        Worker worker;
        std::atomic<bool> posted = false;
        bool told = false;
        worker.start(
            [&, post = worker.poster()](std::stop_token) {
                post([&told] { told = true; });
                posted = true;
                return 1;
            },
            [](int) {});
        while (!posted)
            std::this_thread::yield();
        worker.start(untilStopped, [](int) {});
        QCoreApplication::sendPostedEvents(&worker);
        QVERIFY(!told);
    }

    void progressIsToldNowAndThen()
    {
        Worker worker;
        int told = 0;
        bool done = false;
        const auto progress = worker.progress([&](double fraction, const QString &what) {
            ++told;
            QVERIFY(fraction >= 0 && fraction <= 1);
            QCOMPARE(what, QStringLiteral("counting"));
        });
        QElapsedTimer clock;
        clock.start();
        worker.start(
            [progress](std::stop_token) {
                for (int i = 0; i <= 10'000; ++i)
                    progress(i / 10'000.0, "counting");
                return 1;
            },
            [&](int) { done = true; });
        QVERIFY(QTest::qWaitFor([&] { return done; }));
        QVERIFY(told > 0);
        QVERIFY2(told <= 1 + clock.elapsed() / 50, qPrintable(QString::number(told)));
    }

    void aResultSaysWhatTheWorkThrew()
    {
        Worker worker;
        std::optional<Result<int>> result;
        worker.start(
            [](std::stop_token) -> Result<int> { throw std::runtime_error("no such thing"); },
            [&](Result<int> outcome) { result = std::move(outcome); });
        QVERIFY(QTest::qWaitFor([&] { return result.has_value(); }));
        QVERIFY(!*result);
        QCOMPARE(result->error().text(), "no such thing");
    }

    void otherWorkThatThrowsEndsEmpty()
    {
        Worker worker;
        std::optional<std::shared_ptr<int>> result;
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("no such thing")));
        worker.start(
            [](std::stop_token) -> std::shared_ptr<int> {
                throw std::runtime_error("no such thing");
            },
            [&](std::shared_ptr<int> outcome) { result = std::move(outcome); });
        QVERIFY(QTest::qWaitFor([&] { return result.has_value(); }));
        QVERIFY(!*result);
    }

    void theListOfJobsSaysWhatAJobThrew()
    {
        JobList jobs;
        QStringList told;
        connect(&jobs, &JobList::failed, this, [&](const QString &what, const QString &reason) {
            told = {what, reason};
        });
        Worker worker;
        worker.announce(&jobs, QStringLiteral("Counting"));
        worker.start([](std::stop_token) -> int { throw std::bad_alloc(); }, [](int) {});
        QVERIFY(QTest::qWaitFor([&] { return !worker.isRunning(); }));
        QCOMPARE(told,
                 (QStringList{QStringLiteral("Counting"), QStringLiteral("not enough memory")}));
    }

    void aJobCanBeCancelledAsItBegins()
    {
        JobList jobs;
        connect(&jobs, &JobList::rowsInserted, this, [&] { jobs.cancel(0); });
        Worker worker;
        int result = 0;
        worker.announce(&jobs, QStringLiteral("Waiting"));
        worker.start(untilStopped, [&](int r) { result = r; });
        QVERIFY(QTest::qWaitFor([&] { return result != 0; }));
        QCOMPARE(result, -1);
    }

    void aJobThatThrewLeavesTheList()
    {
        JobList jobs;
        Worker worker;
        worker.announce(&jobs, QStringLiteral("Counting"));
        worker.start([](std::stop_token) -> int { throw std::bad_alloc(); }, [](int) {});
        QVERIFY(QTest::qWaitFor([&] { return !worker.isRunning(); }));
        QVERIFY(jobs.jobs().empty());
    }

    void theEndStopsTheWork()
    {
        std::atomic<bool> ended = false;
        {
            Worker worker;
            worker.start(
                [&](std::stop_token stop) {
                    untilStopped(stop);
                    ended = true;
                    return 0;
                },
                [](int) {});
        }
        QVERIFY(ended);
    }
};

GRAPHLOOM_TESTS(WorkerTest)

} // namespace graphloom::test::worker_test

#include "worker_test.moc"
