// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/worker.h"

#include <QTest>

#include <atomic>

using namespace graphloom;

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

QTEST_GUILESS_MAIN(WorkerTest)
#include "worker_test.moc"
