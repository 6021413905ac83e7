// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Returns the number of elements for extents from a file. Fails (Model, without a place) if an
/// extent is negative, there are more than highestRank, or the product of the nonzero ones
/// overflows.
Result<std::int64_t> countElements(std::span<const std::int64_t> extents);

} // namespace graphloom
