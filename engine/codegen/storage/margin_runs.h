// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace graphloom {

/// Returns the elements of a buffer that belong to the margins of its tensor, as runs (first,
/// count).
std::vector<std::pair<std::int64_t, std::int64_t>>
marginRuns(const Storage &storage, const std::vector<std::int64_t> &extents);

} // namespace graphloom
