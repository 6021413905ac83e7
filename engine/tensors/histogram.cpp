// SPDX-License-Identifier: Apache-2.0
#include "engine/tensors/histogram.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

Histogram::Histogram(double least, double greatest, bool integers, int mostBins)
{
    const double range = greatest / 2 - least / 2; // half of it, which cannot overflow
    if (integers && 2 * range < mostBins) {
        m_low = least - 0.5;
        m_counts.resize(std::size_t(2 * range) + 1);
        return;
    }
    const double width = range / mostBins * 2;
    if (width > 0 && std::isnormal(width)) {
        m_low = least;
        m_width = width;
        m_counts.resize(std::size_t(mostBins));
        return;
    }
    m_width = std::max(1.0, std::fabs(least)) / 2; // one value, or numbers too close to separate
    m_low = std::max(-mostNumber, least - m_width / 2);
    m_counts.resize(1);
}

std::int64_t Histogram::highest() const
{
    return m_counts.empty() ? 0 : std::ranges::max(m_counts);
}

} // namespace graphloom
