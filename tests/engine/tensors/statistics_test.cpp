// SPDX-License-Identifier: Apache-2.0
// Figures of tensors, compared with their definitions.
#include "engine/tensors/statistics.h"

#include "engine/tensors/element_text.h"
#include "tests/support/random_tensor.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace graphloom::test::statistics_test {

namespace {

TensorData floats(std::vector<float> values)
{
    return TensorData::fromValues<float>(DataType::Float, {std::int64_t(values.size())}, values);
}

bool isClose(double a, double b)
{
    return a == b || std::fabs(a - b) <= 1e-9 * std::max({1.0, std::fabs(a), std::fabs(b)});
}

} // namespace

class StatisticsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void figuresAreThoseOfTheElements_data()
    {
        QTest::addColumn<int>("type");
        for (const DataType type : numberTypes)
            QTest::newRow(nameOfRow(type).c_str()) << int(type);
    }
    void figuresAreThoseOfTheElements()
    {
        QFETCH(int, type);
        for (const bool few : {false, true})
            for (const std::int64_t size : {0, 1, 2, 7, 1000, 40'001}) {
                std::mt19937_64 random{std::uint64_t(size + type)};
                check(randomTensor(DataType(type), {size}, random, few));
                if (QTest::currentTestFailed())
                    return;
            }
    }

    void aSplatHasOneValue()
    {
        const float half = 0.5F;
        const auto bytes = std::as_bytes(std::span(&half, 1));
        const auto huge =
            TensorData::splat(DataType::Float, {1 << 20, 1 << 20}, {bytes.begin(), bytes.end()});
        const auto statistics = statisticsOf(huge);
        QVERIFY(statistics);
        QCOMPARE(statistics->elements, std::int64_t{1} << 40);
        QCOMPARE(statistics->least, 0.5);
        QCOMPARE(statistics->greatest, 0.5);
        QCOMPARE(statistics->mean, 0.5);
        QCOMPARE(statistics->deviation, 0.0);
        QCOMPARE(statistics->distinct, std::optional<std::int64_t>(1));
        QCOMPARE(statistics->histogram.counts().size(), std::size_t(1));
        QCOMPARE(statistics->histogram.highest(), std::int64_t{1} << 40);
    }

    void sumsDoNotCancel()
    {
        std::vector<float> values;
        for (int i = 0; i < 100'000; ++i)
            values.push_back(1e6F + float(i % 2));
        const auto statistics = statisticsOf(floats(values));
        QVERIFY(statistics);
        QCOMPARE(statistics->mean, 1e6 + 0.5);
        QVERIFY(std::fabs(statistics->deviation - 0.5) < 1e-9);
    }

    void boundsOfLargeIntegersAreExact()
    {
        constexpr std::int64_t large = std::int64_t{1} << 60; // doubles are 256 apart there
        const auto data = TensorData::fromInt64s({large + 3, large + 1, large + 2});
        const auto statistics = statisticsOf(data);
        QVERIFY(statistics);
        QCOMPARE(statistics->leastAt, std::optional<std::int64_t>(1));
        QCOMPARE(statistics->greatestAt, std::optional<std::int64_t>(0));
        QCOMPARE(statistics->distinct, std::optional<std::int64_t>(3));
    }

    void zerosOfBothSignsAreOneValue()
    {
        for (const DataType type : {DataType::Float, DataType::Float16}) {
            std::vector<std::byte> bytes(2 * bytesOf(type, 1));
            encodeReal(type, -0.0, bytes.data());
            encodeReal(type, 0.0, bytes.data() + bytesOf(type, 1));
            const auto statistics = statisticsOf(TensorData::fromBytes(type, {2}, bytes));
            QVERIFY(statistics);
            QCOMPARE(statistics->zeros, 2);
            QCOMPARE(statistics->negatives, 0);
            QCOMPARE(statistics->values.size(), std::size_t(1));
            QCOMPARE(statistics->values.front().count, 2);
        }
    }

    void integersOfASmallRangeHaveABinEach()
    {
        std::vector<std::int64_t> values;
        for (int i = -3; i <= 10; ++i)
            values.insert(values.end(), std::size_t(i + 4), i);
        const auto statistics = statisticsOf(TensorData::fromInt64s(values));
        QVERIFY(statistics);
        QCOMPARE(statistics->histogram.counts().size(), std::size_t(14));
        for (int i = 0; i < 14; ++i)
            QCOMPARE(statistics->histogram.counts()[std::size_t(i)], i + 1);
    }

    void numbersFarApartFitIntoBins()
    {
        const double most = std::numeric_limits<double>::max();
        Histogram histogram(-most, most, false, 4);
        for (const double value : {-most, -most / 4, most / 4, most})
            histogram.add(value);
        for (const std::int64_t count : histogram.counts())
            QCOMPARE(count, 1);
    }

    void boundsOfBinsAreFinite()
    {
        const double most = std::numeric_limits<double>::max();
        const Histogram wide(-most, most, false, 100);
        for (std::size_t bin = 0; bin <= wide.counts().size(); ++bin)
            QVERIFY(std::isfinite(wide.bound(bin)));
        QVERIFY(std::fabs(wide.bound(50)) < most * 1e-12);
        for (const double value : {-most, most}) {
            const Histogram single(value, value, false, 100);
            QVERIFY(std::isfinite(single.low()) && std::isfinite(single.high()));
        }
    }

    void stoppingEndsTheWork()
    {
        std::stop_source stop;
        std::mt19937_64 random(1);
        for (const DataType type : {DataType::Float, DataType::Uint8}) {
            const TensorData data = randomTensor(type, {1 << 20}, random);
            int reports = 0;
            ReadOptions options{stop.get_token(), [&](double) {
                                    if (++reports == 3)
                                        stop.request_stop();
                                }};
            QVERIFY(!statisticsOf(data, options));
            QCOMPARE(reports, 3);
            stop = {};
        }
    }

    void progressEndsWithOne()
    {
        std::mt19937_64 random(1);
        for (const DataType type : {DataType::Int32, DataType::Float16}) {
            double last = 0;
            bool ascends = true;
            const ReadOptions options{{}, [&](double part) {
                                          ascends = ascends && part > last;
                                          last = part;
                                      }};
            QVERIFY(statisticsOf(randomTensor(type, {300, 301}, random), options));
            QVERIFY(ascends);
            QCOMPARE(last, 1.0);
        }
    }

private:
    static void check(const TensorData &data)
    {
        const auto statistics = statisticsOf(data);
        QVERIFY(statistics);
        std::vector<double> finite;
        std::map<std::string, std::pair<std::int64_t, std::int64_t>> values; // first, count
        std::int64_t nans = 0, positive = 0, negative = 0, zeros = 0, below = 0;
        for (std::int64_t i = 0; i < data.elements(); ++i) {
            const double value = data.real(i);
            nans += std::isnan(value);
            positive += value == HUGE_VAL;
            negative += value == -HUGE_VAL;
            zeros += value == 0;
            below += value < 0;
            if (std::isfinite(value))
                finite.push_back(value);
            const std::string key = value == 0 ? "0" : textOf(value);
            auto &entry = values.emplace(key, std::pair(i, 0)).first->second;
            ++entry.second;
        }
        QCOMPARE(statistics->elements, data.elements());
        QCOMPARE(statistics->nans, nans);
        QCOMPARE(statistics->positiveInfinities, positive);
        QCOMPARE(statistics->negativeInfinities, negative);
        QCOMPARE(statistics->zeros, zeros);
        QCOMPARE(statistics->negatives, below);
        QCOMPARE(statistics->finite(), std::int64_t(finite.size()));
        const auto &counts = statistics->histogram.counts();
        QCOMPARE(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}),
                 std::int64_t(finite.size()));
        QCOMPARE(bool(statistics->leastAt), !finite.empty());
        if (statistics->distinct)
            QCOMPARE(*statistics->distinct, std::int64_t(values.size()));
        QCOMPARE(statistics->values.size() == values.size(), values.size() <= mostDistinctValues);
        for (const DistinctValue &value : statistics->values)
            QVERIFY(std::ranges::any_of(values, [&](const auto &expected) {
                return expected.second == std::pair(value.position, value.count);
            }));
        if (finite.empty())
            return;
        checkBounds(data, *statistics, finite);
    }
    static void checkBounds(const TensorData &data, const TensorStatistics &statistics,
                            const std::vector<double> &finite)
    {
        const auto [least, greatest] = std::ranges::minmax(finite);
        QCOMPARE(statistics.least, least);
        QCOMPARE(statistics.greatest, greatest);
        QCOMPARE(data.real(*statistics.leastAt), least);
        QCOMPARE(data.real(*statistics.greatestAt), greatest);
        long double sum = 0, squares = 0;
        for (const double value : finite)
            sum += value;
        const long double mean = sum / (long double)finite.size();
        for (const double value : finite)
            squares += (value - mean) * (value - mean);
        QVERIFY(isClose(statistics.mean, double(mean)));
        QVERIFY(
            isClose(statistics.deviation, double(std::sqrt(squares / (long double)finite.size()))));
        const Histogram &histogram = statistics.histogram;
        const double rounding = 1e-9 * std::max({1.0, std::fabs(least), std::fabs(greatest)});
        QVERIFY(histogram.low() <= least + rounding && greatest <= histogram.high() + rounding);
    }
    static std::string textOf(double value)
    {
        const auto data = TensorData::fromValues<double>(DataType::Double, {}, {&value, 1});
        return elementText(data, 0);
    }
};

GRAPHLOOM_TESTS(StatisticsTest)

} // namespace graphloom::test::statistics_test

#include "statistics_test.moc"
