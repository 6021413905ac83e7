// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace graphloom {

/// Rounded to plus infinity, of a >= 0 and b > 0: the tiles of b points that a points take.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b)
{
    return (a + b - 1) / b;
}

/// Rounded to minus infinity.
constexpr std::int64_t floorDiv(std::int64_t a, std::int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// The least multiple of `of` that is not below a >= 0.
constexpr std::int64_t roundUp(std::int64_t a, std::int64_t of)
{
    return ceilDiv(a, of) * of;
}

} // namespace graphloom
