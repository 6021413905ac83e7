// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace graphloom {

/// Counts numbers in bins of equal width between the least and the greatest. Integers in a small
/// range have a bin each, so that no bin contains more of them than another.
class Histogram {
public:
    Histogram() = default;
    /// Creates empty bins for finite numbers, at most `mostBins`. Equal bounds give one bin.
    Histogram(double least, double greatest, bool integers, int mostBins);

    /// Counts a number; not for NaN and infinities.
    void add(double value, std::int64_t count = 1) { m_counts[binOf(value)] += count; }

    std::span<const std::int64_t> counts() const { return m_counts; }
    /// Returns where a bin begins and the one before it ends, a finite number.
    double bound(std::size_t bin) const
    {
        // Halves, as bounds may be further apart than the greatest number.
        const double half = m_low / 2 + m_width / 2 * double(bin);
        return std::clamp(half * 2, -mostNumber, mostNumber);
    }
    double low() const { return m_low; }
    double high() const { return bound(m_counts.size()); }
    std::int64_t highest() const;

private:
    std::size_t binOf(double value) const
    {
        const double apart = value - m_low; // overflows if the bounds are far apart
        const double place =
            apart <= mostNumber ? apart / m_width : value / m_width - m_low / m_width;
        return place <= 0                         ? 0
               : place >= double(m_counts.size()) ? m_counts.size() - 1
                                                  : std::size_t(place);
    }

    static constexpr double mostNumber = std::numeric_limits<double>::max();

    double m_low = 0, m_width = 1;
    std::vector<std::int64_t> m_counts;
};

} // namespace graphloom
