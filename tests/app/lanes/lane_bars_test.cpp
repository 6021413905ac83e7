// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_bars.h"
#include "app/lanes/lane_picture.h"

#include "tests/support/app/made_lanes.h"
#include "tests/support/app/window_driver.h"

#include <numeric>

namespace graphloom::test::lane_bars_test {

class LaneBarsTest : public QObject {
    Q_OBJECT

private:
    static constexpr int columns = 1000;

    static std::vector<LaneBar> bars(const Lanes &lanes, double from, double to)
    {
        return barsOf(lanes, lanes.lanes.front(), {true, from, to, columns});
    }

private Q_SLOTS:
    void slicesWiderThanAColumnAreBarsOfTheirOwn()
    {
        const LanesPointer lanes = test::madeLanes(10, 1);
        const auto all = bars(*lanes, 0, 10e-6);
        QCOMPARE(all.size(), std::size_t(10));
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            QCOMPARE(all[i].slice, i);
            QVERIFY(!all[i].isMerged());
            QVERIFY(std::abs(all[i].left - 100 * i) < 1e-6);
            QVERIFY(std::abs(all[i].width() - 80) < 1e-6);
        }
    }

    void thinSlicesOfAColumnAreOneBar()
    {
        const LanesPointer lanes = test::madeLanes(10 * columns, 1);
        const auto all = bars(*lanes, 0, lanes->seconds);
        QVERIFY(all.size() <= std::size_t(columns + 1));
        std::uint32_t slices = 0;
        double seconds = 0;
        for (const LaneBar &bar : all) {
            QCOMPARE(bar.first, slices); // none is left out
            slices += bar.count;
            seconds += bar.seconds;
        }
        QCOMPARE(slices, std::uint32_t(10 * columns));
        QVERIFY(std::abs(seconds - 0.8e-6 * 10 * columns) < 1e-9);
    }

    void theLongestOfSeveralStandsForThem()
    {
        Lanes lanes = *test::madeLanes(10 * columns, 1);
        lanes.slices[4].seconds *= 1.1;
        QCOMPARE(bars(lanes, 0, lanes.seconds).front().slice, 4U);
    }

    void aWindowClipsWhatReachesBeyond()
    {
        const LanesPointer lanes = test::madeLanes(10, 1);
        const auto some = bars(*lanes, 2.5e-6, 4.5e-6);
        QCOMPARE(some.size(), std::size_t(3));
        QCOMPARE(some.front().slice, 2U);
        QCOMPARE(some.front().left, 0.0);
        QCOMPARE(some.back().right, double(columns));
    }

    void aHundredThousandSlicesAreAFewThousandBars()
    {
        // What is painted while scrolling is bounded by pixels at every zoom.
        constexpr int slices = 100'000, threads = 8, width = 1600;
        LaneScene scene;
        scene.lanes = test::madeLanes(slices, threads);
        const double whole = scene.lanes->seconds;
        for (double zoom = 1; zoom <= 1e4; zoom *= 3) {
            scene.from = whole / 3;
            scene.to = scene.from + whole / zoom;
            const LanePicture picture(scene, QRectF(0, 0, width, 500), {});
            QVERIFY(picture.barCount() > 0);
            QVERIFY2(picture.barCount() <= std::size_t(2 * width * threads),
                     qPrintable(QString::number(picture.barCount())));
        }
    }

    void lanesThatAreScrolledAwayHaveNoBars()
    {
        LaneScene scene;
        scene.lanes = test::madeLanes(1000, 100);
        const LanePicture picture(scene, QRectF(0, 0, 800, 300), {});
        QVERIFY(picture.contentHeight() > picture.chart().height());
        QVERIFY(!picture.rows().front().bars.empty());
        QVERIFY(picture.rows().back().bars.empty());
    }
};

GRAPHLOOM_WINDOW_TESTS(LaneBarsTest)

} // namespace graphloom::test::lane_bars_test

#include "lane_bars_test.moc"
