// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_bands.h"

#include "tests/support/app/made_timelines.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <set>

namespace graphloom::test::timeline_bands_test {

/// Held against what looks at every tensor and every step.
class TimelineBandsTest : public QObject {
    Q_OBJECT

private:
    /// Of all steps that are seen in a column the first with the most memory.
    static std::uint32_t slowHighest(const MemoryTimeline &timeline, const TimelineWindow &window,
                                     ColumnIndex column)
    {
        const double from = window.place(column.number()), to = window.place(column.number() + 1);
        std::optional<std::uint32_t> best;
        for (std::uint32_t s = 0; s < timeline.stepCount(); ++s) {
            const double begin = timeline.beginOf(s, window.inTime);
            const double end = s + 1 < timeline.stepCount()
                                   ? timeline.beginOf(s + 1, window.inTime)
                                   : std::numeric_limits<double>::infinity();
            const bool seen = (begin <= from && from < end) || (from < begin && begin < to);
            if (seen && (!best || timeline.steps[s].bytes > timeline.steps[*best].bytes))
                best = s;
        }
        return best.value_or(~0U);
    }

    static void check(const MemoryTimeline &timeline, const TimelineWindow &window,
                      std::int64_t least, const std::vector<std::uint32_t> &always)
    {
        const TimelineBands bands = bandsOf(timeline, window, least, always);
        QCOMPARE(bands.steps.size(), std::size_t(window.columns));
        for (const ColumnIndex c : bands.steps.indices()) {
            const std::uint32_t step = bands.steps[c];
            QCOMPARE(step, slowHighest(timeline, window, c));
            std::set<std::uint32_t> expected, found;
            std::array<std::int64_t, MemoryTimeline::classCount> others{};
            std::int64_t sum = timeline.steps[step].extra;
            std::uint32_t hidden = 0;
            for (std::uint32_t t = 0; t < timeline.tensors.size(); ++t) {
                const MemoryTimeline::Tensor &tensor = timeline.tensors[t];
                if (step < tensor.first || tensor.last < step || tensor.bytes == 0)
                    continue;
                if (tensor.bytes >= least || std::ranges::binary_search(always, t)) {
                    expected.insert(t);
                    sum += tensor.bytesAt(step);
                } else {
                    others[std::size_t(tensor.kind)] += tensor.bytesAt(step);
                    sum += tensor.bytesAt(step);
                    ++hidden;
                }
            }
            std::int64_t under = 0;
            for (const TimelineBands::Band &band : bands.bands)
                if (band.first <= c && c <= band.last) {
                    found.insert(band.tensor);
                    QCOMPARE(bands.under(timeline, band, c), under);
                    QCOMPARE(bands.under(timeline, band)[std::size_t(c - band.first)], under);
                    under += timeline.tensors[band.tensor].bytesAt(step);
                }
            QVERIFY(found == expected);
            for (std::size_t kind = 0; kind < others.size(); ++kind)
                QCOMPARE(bands.others[kind][c], others[kind]);
            QCOMPARE(bands.extras[c], timeline.steps[step].extra);
            QCOMPARE(bands.hidden[c], hidden);
            QCOMPARE(sum + timeline.residentBytes, timeline.steps[step].bytes);
        }
    }

private Q_SLOTS:
    void agreeWithANaiveStack()
    {
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            test::Random random(seed);
            const auto steps = std::uint32_t(1 + test::below(random, 120));
            const auto timeline = finished(
                test::randomTimeline(random, std::uint32_t(test::below(random, 150)), steps));
            for (const bool inTime : {false, true}) {
                const double end = timeline->beginOf(steps, inTime);
                if (end <= 0)
                    continue;
                const double from = end * double(test::below(random, 90)) / 100;
                const double width = (end - from) * double(1 + test::below(random, 100)) / 100;
                const TimelineWindow window{inTime, from, from + width,
                                            int(1 + test::below(random, 60))};
                std::vector<std::uint32_t> always;
                for (std::uint32_t t = 0; t < timeline->tensors.size(); ++t)
                    if (test::chance(random, 0.1))
                        always.push_back(t);
                check(*timeline, window, std::int64_t(test::below(random, 2000)), always);
                check(*timeline, {inTime, 0, end, 37}, 1, {});
            }
            if (QTest::currentTestFailed())
                QFAIL(qPrintable(QStringLiteral("seed %1").arg(seed)));
        }
    }

    void theHighestStepOfARange()
    {
        test::Random random(7);
        const auto timeline = finished(test::randomTimeline(random, 90, 77));
        for (std::uint32_t first = 0; first < 77; ++first) {
            std::uint32_t best = first;
            for (std::uint32_t last = first; last < 77; ++last) {
                if (timeline->steps[last].bytes > timeline->steps[best].bytes)
                    best = last;
                QCOMPARE(timeline->highest(first, last), best);
            }
        }
    }

    void aPlaceHasItsBand()
    {
        const auto timeline = finished(test::smallTimeline());
        const TimelineBands bands = bandsOf(*timeline, {false, 0, 4, 8}, 1);
        // From the bottom: kept (three steps), in (two), top (one).
        std::int64_t below = 0;
        QCOMPARE(bands.at(*timeline, ColumnIndex(4), 19, &below)->tensor, 1U);
        QCOMPARE(below, std::int64_t(0));
        QCOMPARE(bands.at(*timeline, ColumnIndex(4), 21, &below)->tensor, 2U);
        QCOMPARE(below, std::int64_t(20));
        QVERIFY(!bands.at(*timeline, ColumnIndex(4), 41));
        QCOMPARE(bands.at(*timeline, ColumnIndex(0), 5)->tensor, 0U);
    }

    void inTimeLongStepsAreWide()
    {
        const auto timeline = finished(test::smallTimeline());
        QCOMPARE(bandsOf(*timeline, {true, 0, 6, 6}, 1).steps,
                 (IndexedVector<ColumnIndex, std::uint32_t>{0, 1, 2, 3, 3, 3}));
    }

    void hotSpotsAreSeparatePeaks()
    {
        MemoryTimeline timeline;
        for (const std::int64_t bytes : {10, 90, 92, 40, 100, 98, 30, 20, 60, 10})
            timeline.steps.push_back({{}, {}, 0, 0, bytes});
        const auto made = finished(std::move(timeline));
        QCOMPARE(made->peakStep, 4U);
        QCOMPARE(made->hotSpots, (std::vector<std::uint32_t>{4, 2})); // 60 is too low
    }
};

GRAPHLOOM_TESTS(TimelineBandsTest)

} // namespace graphloom::test::timeline_bands_test

#include "timeline_bands_test.moc"
