// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <memory>

namespace graphloom {

namespace {

constexpr std::int64_t blockElements = 1 << 14;

/// Joins means and deviations of parts (Chan, Golub and LeVeque): sums of squares would cancel.
class Moments {
public:
    void add(double count, double mean, double squares)
    {
        if (count == 0)
            return;
        const double all = m_count + count, apart = mean - m_mean;
        m_mean += apart * (count / all);
        m_squares += squares + apart * apart * (m_count / all) * count;
        m_count = all;
    }
    double mean() const { return m_mean; }
    double deviation() const { return m_count > 0 ? std::sqrt(m_squares / m_count) : 0; }

private:
    double m_count = 0, m_mean = 0, m_squares = 0;
};

/// Collects different values until there are too many of them.
template <class T> class DistinctValues {
public:
    void add(T value, std::int64_t position)
    {
        if (m_full)
            return;
        if constexpr (std::is_floating_point_v<T>)
            if (std::isnan(value)) {
                note(m_nan, position);
                return;
            }
        // Weights repeat the value before more often than any other.
        if (m_last < m_values.size() && m_values[m_last].first == value) {
            ++m_values[m_last].second.count;
            return;
        }
        const auto found =
            std::ranges::lower_bound(m_values, value, {}, [](const auto &v) { return v.first; });
        m_last = std::size_t(found - m_values.begin());
        if (found != m_values.end() && found->first == value)
            ++found->second.count;
        else if (m_values.size() < mostDistinctValues)
            m_values.insert(found, {value, {position, 1}});
        else
            m_full = true;
    }
    void putInto(TensorStatistics &statistics) const
    {
        if (m_full)
            return;
        for (const auto &[value, facts] : m_values)
            statistics.values.push_back(facts);
        if (m_nan.count > 0)
            statistics.values.push_back(m_nan);
        statistics.distinct = std::int64_t(statistics.values.size());
    }

private:
    static void note(DistinctValue &value, std::int64_t position)
    {
        if (value.count++ == 0)
            value.position = position;
    }

    std::vector<std::pair<T, DistinctValue>> m_values; // ascending
    std::size_t m_last = 0;
    DistinctValue m_nan;
    bool m_full = false;
};

void addHistogram(TensorStatistics &statistics, DataType type)
{
    if (statistics.leastAt)
        statistics.histogram =
            Histogram(statistics.least, statistics.greatest, isIntegral(type), mostHistogramBins);
}

/// Counts `count` elements of a value. Returns whether it is finite.
bool countValue(TensorStatistics &statistics, double value, std::int64_t count)
{
    if (std::isnan(value)) {
        statistics.nans += count;
        return false;
    }
    statistics.zeros += value == 0 ? count : 0;
    statistics.negatives += value < 0 ? count : 0;
    if (std::isinf(value)) {
        (value < 0 ? statistics.negativeInfinities : statistics.positiveInfinities) += count;
        return false;
    }
    return true;
}

/// Returns the figures of values that are known with their numbers and first positions.
TensorStatistics statisticsOfCounts(DataType type, std::int64_t elements,
                                    std::vector<std::pair<double, DistinctValue>> values)
{
    TensorStatistics statistics;
    statistics.elements = elements;
    std::ranges::stable_sort(values, [](const auto &a, const auto &b) {
        return std::isnan(b.first) ? !std::isnan(a.first) : a.first < b.first;
    });
    Moments moments;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto &[value, facts] = values[i];
        const bool same = i > 0 && (value == values[i - 1].first ||
                                    (std::isnan(value) && std::isnan(values[i - 1].first)));
        if (same) { // two bit patterns: -0 and 0, or different NaNs
            DistinctValue &last = statistics.values.back();
            last.position = std::min(last.position, facts.position);
            last.count += facts.count;
        } else {
            statistics.values.push_back(facts);
        }
        if (!countValue(statistics, value, facts.count))
            continue;
        const std::int64_t first = statistics.values.back().position;
        if (!statistics.leastAt || value == statistics.least) {
            statistics.leastAt = first;
            statistics.least = value;
        }
        statistics.greatestAt = first;
        statistics.greatest = value;
        moments.add(double(facts.count), value, 0);
    }
    statistics.distinct = std::int64_t(statistics.values.size());
    if (statistics.values.size() > mostDistinctValues)
        statistics.values.clear();
    statistics.mean = moments.mean();
    statistics.deviation = moments.deviation();
    addHistogram(statistics, type);
    for (const auto &[value, facts] : values)
        if (std::isfinite(value))
            statistics.histogram.add(value, facts.count);
    return statistics;
}

/// Calls visit(first, count) for blocks of the elements. Returns false when stopped.
template <class Visit> bool forEachBlock(std::int64_t elements, ReadMeter &meter, Visit visit)
{
    for (std::int64_t first = 0; first < elements; first += blockElements) {
        const std::int64_t count = std::min(blockElements, elements - first);
        visit(first, count);
        if (!meter.add(count))
            return false;
    }
    return true;
}

std::optional<TensorStatistics> statisticsOfNarrow(const TensorData &data,
                                                   const ReadOptions &options)
{
    const std::vector<double> &table = valuesOfCodes(data.type());
    std::vector<DistinctValue> counts(table.size());
    ReadMeter meter(data, data.elements(), options);
    const int bits = bitsOf(data.type());
    const std::byte *bytes = data.bytes().data();
    const auto count = [&](std::size_t code, std::int64_t position) {
        if (counts[code].count++ == 0)
            counts[code].position = position;
    };
    const auto countBlock = [&](std::int64_t first, std::int64_t size) {
        for (std::int64_t i = first; i < first + size; ++i) {
            if (bits == 16) {
                std::uint16_t code = 0;
                std::memcpy(&code, bytes + 2 * i, sizeof code);
                count(code, i);
            } else if (bits == 8) {
                count(std::to_integer<std::size_t>(bytes[i]), i);
            } else {
                const auto pair = std::to_integer<std::size_t>(bytes[i / 2]);
                count(i % 2 ? pair >> 4 : pair & 15, i);
            }
        }
    };
    if (!forEachBlock(data.elements(), meter, countBlock))
        return std::nullopt;
    std::vector<std::pair<double, DistinctValue>> values;
    for (std::size_t code = 0; code < counts.size(); ++code)
        if (counts[code].count > 0)
            values.emplace_back(table[code], counts[code]);
    return statisticsOfCounts(data.type(), data.elements(), std::move(values));
}

/// Scans elements of a type that C++ has; `stride` is the bytes from one to the next.
template <class T> class WideScan {
public:
    WideScan(const TensorData &data, const ReadOptions &options)
        : m_data(data), m_options(options), m_stride(std::size_t(bitsOf(data.type()) / 8))
    {
        m_statistics.elements = data.elements();
    }

    std::optional<TensorStatistics> run()
    {
        ReadMeter meter(m_data, 2 * m_data.elements(), m_options);
        if (!forEachBlock(m_data.elements(), meter,
                          [this](auto first, auto count) { scan(first, count); }))
            return std::nullopt;
        m_statistics.mean = m_moments.mean();
        m_statistics.deviation = m_moments.deviation();
        m_distinct.putInto(m_statistics);
        addHistogram(m_statistics, m_data.type());
        if (m_statistics.leastAt &&
            !forEachBlock(m_data.elements(), meter,
                          [this](auto first, auto count) { countBins(first, count); }))
            return std::nullopt;
        return std::move(m_statistics);
    }

private:
    T at(std::int64_t position) const
    {
        T value;
        std::memcpy(&value, m_data.bytes().data() + std::size_t(position) * m_stride, sizeof value);
        return value;
    }
    void scan(std::int64_t first, std::int64_t count)
    {
        std::size_t finite = 0;
        double sum = 0;
        for (std::int64_t i = first; i < first + count; ++i) {
            const T value = at(i);
            m_distinct.add(value, i);
            if (!countValue(m_statistics, double(value), 1))
                continue;
            if (!m_statistics.leastAt || value < m_least) {
                m_least = value;
                m_statistics.leastAt = i;
            }
            if (!m_statistics.greatestAt || value > m_greatest) {
                m_greatest = value;
                m_statistics.greatestAt = i;
            }
            sum += double(value);
            m_finite[finite++] = double(value);
        }
        m_statistics.least = double(m_least);
        m_statistics.greatest = double(m_greatest);
        if (finite == 0)
            return;
        const double mean = sum / double(finite);
        double squares = 0;
        for (std::size_t i = 0; i < finite; ++i)
            squares += (m_finite[i] - mean) * (m_finite[i] - mean);
        m_moments.add(double(finite), mean, squares);
    }
    void countBins(std::int64_t first, std::int64_t count)
    {
        for (std::int64_t i = first; i < first + count; ++i)
            if (const auto value = double(at(i)); std::isfinite(value))
                m_statistics.histogram.add(value);
    }

    const TensorData &m_data;
    const ReadOptions &m_options;
    const std::size_t m_stride;
    TensorStatistics m_statistics;
    Moments m_moments;
    DistinctValues<T> m_distinct;
    T m_least{}, m_greatest{};
    std::array<double, blockElements> m_finite;
};

template <class T>
std::optional<TensorStatistics> statisticsOfWide(const TensorData &data, const ReadOptions &options)
{
    return std::make_unique<WideScan<T>>(data, options)->run(); // too large for a thread's stack
}

} // namespace

std::optional<TensorStatistics> statisticsOf(const TensorData &data, const ReadOptions &options)
{
    if (data.elements() == 0)
        return statisticsOfCounts(data.type(), 0, {});
    if (data.isSplat())
        return statisticsOfCounts(data.type(), data.elements(),
                                  {{data.real(0), {0, data.elements()}}});
    switch (data.type()) {
    case DataType::Float:
    case DataType::Complex64:
        return statisticsOfWide<float>(data, options);
    case DataType::Double:
    case DataType::Complex128:
        return statisticsOfWide<double>(data, options);
    case DataType::Int32:
        return statisticsOfWide<std::int32_t>(data, options);
    case DataType::Uint32:
        return statisticsOfWide<std::uint32_t>(data, options);
    case DataType::Int64:
        return statisticsOfWide<std::int64_t>(data, options);
    case DataType::Uint64:
        return statisticsOfWide<std::uint64_t>(data, options);
    default:
        return statisticsOfNarrow(data, options);
    }
}

} // namespace graphloom
