// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shell/application.h"

#include "tests/support/app/window_driver.h"

#include <QEventLoop>

#include <ctime>

namespace graphloom::test::application_test {

namespace {

constexpr std::chrono::milliseconds longTime{20};

/// Works on this thread for so much of its CPU time.
void work(std::chrono::milliseconds time)
{
    const auto now = [] {
        timespec clock{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &clock);
        return std::chrono::seconds(clock.tv_sec) + std::chrono::nanoseconds(clock.tv_nsec);
    };
    const auto end = now() + time;
    while (now() < end)
        continue;
}

Application &application()
{
    return *static_cast<Application *>(qApp);
}

/// Runs a function in an event of its own.
template <class Function> void inEvent(Function function)
{
    QMetaObject::invokeMethod(qApp, function, Qt::QueuedConnection);
    QTest::qWait(1);
}

} // namespace

class ApplicationTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void longEventsAreTimed()
    {
        application().startTiming();
        inEvent([] { work(longTime); });
        const auto events = eventsOfCpu(longTime);
        QCOMPARE(events.size(), std::size_t(1));
        QVERIFY2(events.front().what.contains(QStringLiteral("Application")),
                 qPrintable(events.front().what));
    }

    void timeAsleepIsNoCpuTime()
    {
        application().startTiming();
        inEvent([] { QThread::msleep(longTime.count()); });
        QVERIFY(eventsOfCpu(longTime).empty());
        QVERIFY(std::any_of(application().longEvents().begin(), application().longEvents().end(),
                            [](const EventTime &event) { return event.wall >= longTime; }));
    }

    void eventsOfANestedLoopCountForThemselves()
    {
        application().startTiming();
        inEvent([] {
            QEventLoop loop;
            QMetaObject::invokeMethod(
                qApp, [] { work(longTime); }, Qt::QueuedConnection);
            QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection);
            loop.exec();
        });
        QCOMPARE(eventsOfCpu(longTime).size(), std::size_t(1)); // not the one around it too
    }

    void theClockStartsAnew()
    {
        application().startTiming();
        inEvent([] { work(longTime); });
        application().startTiming();
        QVERIFY(eventsOfCpu(longTime).empty());
    }

private:
    /// By CPU time, which does not depend on what else the machine does.
    static std::vector<EventTime> eventsOfCpu(std::chrono::nanoseconds least)
    {
        std::vector<EventTime> found;
        for (const EventTime &event : application().longEvents())
            if (event.cpu >= least)
                found.push_back(event);
        return found;
    }
};

GRAPHLOOM_WINDOW_TESTS(ApplicationTest)

} // namespace graphloom::test::application_test

#include "application_test.moc"
