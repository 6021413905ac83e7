// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace graphloom {

/// Returns a real number without its fraction. If 64 bits cannot hold it, returns the nearest
/// integer that they can; for NaN, the least one.
inline std::int64_t truncated(double value)
{
    constexpr double two63 = 0x1p63;
    if (value >= two63)
        return std::numeric_limits<std::int64_t>::max();
    return value >= -two63 ? std::int64_t(value) : std::numeric_limits<std::int64_t>::min();
}

} // namespace graphloom
