// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/tuning_search.h"

#include "tests/support/test_program.h"

#include <QTest>

namespace graphloom::test::tuning_search_test {

namespace {

TuningTrial trialOf(double ms, bool byDefault = false)
{
    TuningTrial trial;
    trial.milliseconds = ms;
    trial.byDefault = byDefault;
    return trial;
}

TuningTrial failureOf(const std::string &problem, const std::string &schedule)
{
    TuningTrial trial;
    trial.problem = problem;
    trial.schedule = schedule;
    return trial;
}

} // namespace

class TuningSearchTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBestIsKeptWithItsTime()
    {
        TuningLog log;
        TuningSearch search;
        log.add(trialOf(2, true));
        search.take(log, 1);
        log.add(trialOf(3));
        search.take(log, 2);
        log.add(trialOf(1));
        search.take(log, 4);
        const auto record = search.record();
        QCOMPARE(record->generated, std::uint64_t(3));
        QCOMPARE(record->seconds, 4.0);
        QCOMPARE(record->history.size(), std::size_t(2));
        QCOMPARE(record->history.front().cost, 1.0);
        QCOMPARE(record->history.back().cost, 0.5);
        QCOMPARE(record->history.back().seconds, 4.0);
    }

    void failuresAreRefusalsByTheirFirstLine()
    {
        TuningLog log;
        for (const char *schedule : {"tile 4", "tile 8"})
            log.add(failureOf(std::string("does not compile\nline ") + schedule, schedule));
        log.add(failureOf("took too long", "unroll 2"));
        TuningSearch search;
        search.take(log, 1);
        const auto refusals = search.record()->refusals;
        QCOMPARE(refusals.size(), std::size_t(2));
        QCOMPARE(refusals[0].reason, std::string("does not compile"));
        QCOMPARE(refusals[0].count, std::uint64_t(2));
        QCOMPARE(refusals[0].example, std::string("tile 4"));
    }

    void whatWasTakenIsNotTakenAgain()
    {
        TuningLog log;
        log.add(failureOf("crashed", {}));
        TuningSearch search;
        search.take(log, 1);
        search.take(log, 2);
        QCOMPARE(search.record()->refusals[0].count, std::uint64_t(1));
    }
};

GRAPHLOOM_TESTS(TuningSearchTest)

} // namespace graphloom::test::tuning_search_test

#include "tuning_search_test.moc"
