// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/results/tuning_log.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <cmath>

namespace graphloom::test::tuning_log_test {

namespace {

TuningTrial start(std::uint32_t block, double ms, int uses = 1)
{
    TuningTrial trial;
    trial.place.block = block;
    trial.milliseconds = ms;
    trial.byDefault = true;
    trial.uses = uses;
    return trial;
}

TuningTrial candidate(std::uint32_t block, double ms, int uses = 1)
{
    TuningTrial trial = start(block, ms, uses);
    trial.byDefault = false;
    return trial;
}

TuningTrial failure(std::uint32_t block)
{
    TuningTrial trial;
    trial.place.block = block;
    trial.problem = "crashed";
    return trial;
}

TuningLog logOf(const std::vector<TuningTrial> &trials)
{
    TuningLog log;
    for (const TuningTrial &trial : trials)
        log.add(trial);
    return log;
}

} // namespace

class TuningLogTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBestIsTheLeastSoFar()
    {
        const TuningLog log = logOf({start(3, 2), candidate(3, 1.5), candidate(3, 1.8)});
        QCOMPARE(log.trials()[1].bestMs, 1.5);
        QCOMPARE(log.trials()[2].bestMs, 1.5);
        QCOMPARE(log.kernels()[0].startMs, 2.0);
        QCOMPARE(log.kernels()[0].bestMs, 1.5);
    }

    void timesAreRelativeToTheStartOfTheirKernel()
    {
        const TuningLog log = logOf({start(0, 2), start(1, 10), candidate(0, 1), candidate(1, 12)});
        QCOMPARE(log.relative(2).value(), 0.5);
        QCOMPARE(log.relative(3).value(), 1.2);
    }

    void nestsGainUponWhatTheirBlockGained()
    {
        const auto whole = [](TuningTrial trial) {
            trial.place.nest.reset();
            return trial;
        };
        // A block of 10 ms that takes 5 computed otherwise; one of its nests halves.
        const TuningLog log = logOf({whole(start(0, 10)), whole(candidate(0, 5)), start(1, 10),
                                     start(0, 4), candidate(0, 2)});
        QCOMPARE(log.trials()[1].whole, 0.5);
        QCOMPARE(log.relative(1).value(), 0.5);
        QCOMPARE(log.trials()[2].whole, 0.75);
        QCOMPARE(log.whole(), (2.5 + 10) / 20);
        QCOMPARE(log.kernels().size(), 3U);
    }

    void aStartThatIsMeasuredAgainCountsWithItsLeast()
    {
        const TuningLog log = logOf({start(0, 2), start(0, 4), candidate(0, 1)});
        QCOMPARE(log.relative(2).value(), 0.5);
        QCOMPARE(log.relative(1).value(), 2.0);
    }

    void theBestIsNeverSlowerThanTheStartAsKnownThen()
    {
        const TuningLog log = logOf({start(0, 4), start(0, 2), candidate(0, 1)});
        QCOMPARE(tuningSeriesOf(log, std::nullopt, 100).best,
                 (QList<QPointF>{{1, 1}, {3, 1}, {3, 0.5}}));
    }

    void failuresChangeNothingButTheirNumber()
    {
        const TuningLog log = logOf({start(0, 2), failure(0), candidate(0, 1)});
        QCOMPARE(log.failures(), std::size_t(1));
        QVERIFY(!log.relative(1));
        QCOMPARE(log.trials()[1].bestMs, 2.0);
    }

    void withoutAStartNothingIsRelative()
    {
        const TuningLog log = logOf({failure(0), candidate(0, 1)});
        QVERIFY(!log.relative(1));
        QCOMPARE(log.whole(), 1.0);
    }

    void allKernelsTogetherCountAsOftenAsTheyAreUsed()
    {
        TuningLog log = logOf({start(0, 2, 3), start(1, 4)}); // 10 ms
        QCOMPARE(log.whole(), 1.0);
        log.add(candidate(0, 1, 3)); // 7 ms
        QCOMPARE(log.whole(), 0.7);
        QCOMPARE(log.trials()[2].whole, 0.7);
        QCOMPARE(log.trials()[1].whole, 1.0);
    }

    void nestsOfABlockAreKernelsOfTheirOwn()
    {
        TuningTrial second = start(0, 3);
        second.place.nest = 1;
        const TuningLog log = logOf({start(0, 2), second});
        QCOMPARE(log.kernels().size(), std::size_t(2));
        QCOMPARE(log.kernelAt({0, 1}).value(), std::size_t(1));
        QVERIFY(!log.kernelAt({1, 0}));
    }

    void fewValuesAreAllKept()
    {
        QCOMPARE(decimated({3, 1, 2}, 10), (std::vector<std::size_t>{0, 1, 2}));
        QVERIFY(decimated({}, 10).empty());
    }

    void ofManyValuesTheExtremesAreKept()
    {
        std::vector<double> values(10'000, 1);
        values[1234] = 0.1;
        values[8765] = 9;
        const auto kept = decimated(values, 100);
        QVERIFY(kept.size() <= 100);
        QVERIFY(std::ranges::count(kept, std::size_t(1234)) == 1);
        QVERIFY(std::ranges::count(kept, std::size_t(8765)) == 1);
        QVERIFY(std::ranges::is_sorted(kept));
    }

    void theBestIsALineOfSteps()
    {
        const TuningLog log =
            logOf({start(0, 2), candidate(0, 3), candidate(0, 1), candidate(0, 1.5)});
        const TuningSeries series = tuningSeriesOf(log, std::nullopt, 100);
        QCOMPARE(series.best, (QList<QPointF>{{1, 1}, {3, 1}, {3, 0.5}, {4, 0.5}})); // no slopes
    }

    void whatIsMuchSlowerIsOnTheEdge()
    {
        const TuningLog log = logOf({start(0, 2), candidate(0, 1.8), candidate(0, 50)});
        const TuningSeries series = tuningSeriesOf(log, std::nullopt, 100);
        QCOMPARE(series.measured.size(), qsizetype(2));
        QCOMPARE(series.slower.size(), qsizetype(1));
        QCOMPARE(series.slower[0].x(), 3.0);
        QVERIFY(series.slower[0].y() < series.high && series.slower[0].y() > series.high * 0.9);
    }

    void failuresAreOnTheEdge()
    {
        const TuningSeries series =
            tuningSeriesOf(logOf({start(0, 2), failure(0)}), std::nullopt, 100);
        QCOMPARE(series.failed.size(), qsizetype(1));
        QCOMPARE(series.failed[0].x(), 2.0);
        QVERIFY(series.failed[0].y() < series.high);
    }

    void theAxisHasRoomForAll()
    {
        const TuningSeries series =
            tuningSeriesOf(logOf({start(0, 2), candidate(0, 1)}), std::nullopt, 100);
        QVERIFY(series.low < 0.5 && series.high > 1);
        const double steps = (series.high - series.low) / series.step;
        QVERIFY(std::abs(steps - std::round(steps)) < 1e-9);
    }

    void oneKernelIsInMilliseconds()
    {
        const TuningLog log = logOf({start(0, 2), start(1, 10), candidate(1, 8), candidate(0, 1)});
        const TuningSeries series = tuningSeriesOf(log, 1, 100);
        QCOMPARE(series.measured, (QList<QPointF>{{1, 10}, {2, 8}}));
        QCOMPARE(series.trials, (std::vector<std::size_t>{1, 2}));
        QVERIFY(series.whole.isEmpty());
    }

    void nothingHasNoPoints()
    {
        const TuningSeries series = tuningSeriesOf({}, std::nullopt, 100);
        QVERIFY(series.measured.isEmpty() && series.best.isEmpty() && series.whole.isEmpty());
        QVERIFY(series.high > series.low);
    }

    void thousandsOfTrialsHaveFewPoints()
    {
        TuningLog log;
        for (int i = 0; i < 10'000; ++i) {
            const auto block = std::uint32_t(i / 100);
            log.add(i % 100 == 0 ? start(block, 2)
                    : i % 7 == 0 ? failure(block)
                    : i % 5 == 0 ? candidate(block, 50)
                                 : candidate(block, 2.0 - i % 100 * .01));
        }
        constexpr std::size_t most = 200;
        const TuningSeries series = tuningSeriesOf(log, std::nullopt, most);
        for (const QList<QPointF> *points :
             {&series.measured, &series.slower, &series.failed, &series.best, &series.whole}) {
            // Of each stretch its two extremes, or one point where all are on the edge.
            const auto size = std::size_t(points->size());
            QVERIFY2(size >= most / 2 && size <= most, qPrintable(QString::number(size)));
        }
    }
};

GRAPHLOOM_TESTS(TuningLogTest)

} // namespace graphloom::test::tuning_log_test

#include "tuning_log_test.moc"
