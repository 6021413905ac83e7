// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace graphloom {

/// Returns a / b rounded up, for a >= 0 and b > 0: the number of tiles of b points that cover a
/// points.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

/// Returns a / b rounded towards minus infinity.
constexpr std::int64_t floorDiv(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// Returns the least multiple of `of` that is not below a, for a >= 0.
constexpr std::int64_t roundUp(std::int64_t a, std::int64_t of)
{
    return ceilDiv(a, of) * of;
}

} // namespace graphloom
