// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/job_list.h"

#include "tests/support/test_program.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

namespace graphloom::test::job_list_test {

class JobListTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holdsWhatGoesOn()
    {
        JobList jobs;
        const QAbstractItemModelTester tester(&jobs);
        const int first = jobs.begin(QStringLiteral("Opening a"));
        const int second = jobs.begin(QStringLiteral("Saving b"));
        jobs.report(second, 0.25, QStringLiteral("packing"));
        QCOMPARE(cell(jobs, 0, JobList::What), QStringLiteral("Opening a"));
        QCOMPARE(cell(jobs, 0, JobList::Done), QString());
        QCOMPARE(cell(jobs, 1, JobList::Doing), QStringLiteral("packing"));
        QCOMPARE(cell(jobs, 1, JobList::Done), QStringLiteral("25 %"));
        jobs.end(first);
        QCOMPARE(jobs.rowCount(), 1);
        QCOMPARE(cell(jobs, 0, JobList::What), QStringLiteral("Saving b"));
    }

    void whatIsPausedSaysSo()
    {
        JobList jobs;
        const int number = jobs.begin(QStringLiteral("Run 1"));
        jobs.report(number, 0.5, QStringLiteral("searching"));
        jobs.setPaused(number, true);
        QCOMPARE(cell(jobs, 0, JobList::Doing), QStringLiteral("paused"));
        QCOMPARE(jobs.jobs().front().text(), QStringLiteral("Run 1: paused"));
        jobs.setPaused(number, false);
        QCOMPARE(cell(jobs, 0, JobList::Doing), QStringLiteral("searching"));
    }

    void whatHasEndedIsForgotten()
    {
        JobList jobs;
        const int number = jobs.begin(QStringLiteral("a"));
        jobs.end(number);
        jobs.end(number);
        jobs.report(number, 0.5, QStringLiteral("late"));
        QCOMPARE(jobs.rowCount(), 0);
    }

    void stopsWhatCanBeStopped()
    {
        JobList jobs;
        int stopped = 0;
        jobs.begin(QStringLiteral("a"), [&] { ++stopped; });
        jobs.cancel(0);
        QCOMPARE(stopped, 1);
        QCOMPARE(cell(jobs, 0, JobList::Doing), QStringLiteral("stopping…"));
    }

    void leavesAloneWhatCannot()
    {
        JobList jobs;
        jobs.begin(QStringLiteral("a"));
        jobs.cancel(0);
        QVERIFY(!jobs.jobs().front().stopping);
    }

    void stoppingMayEndIt()
    {
        JobList jobs;
        int number = 0;
        number = jobs.begin(QStringLiteral("a"), [&] { jobs.end(number); });
        jobs.cancel(0);
        QCOMPARE(jobs.rowCount(), 0);
    }

    void durations()
    {
        QCOMPARE(durationText(4.24), QStringLiteral("4.2 s"));
        QCOMPARE(durationText(65), QStringLiteral("1:05 min"));
    }

private:
    static QString cell(const JobList &jobs, int row, int column)
    {
        return jobs.index(row, column).data().toString();
    }
};

GRAPHLOOM_TESTS(JobListTest)

} // namespace graphloom::test::job_list_test

#include "job_list_test.moc"
