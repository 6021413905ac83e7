// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/storage.h"
#include "engine/ir/dtype.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace graphloom {

/// Returns the elements of a buffer that belong to the margins of its tensor, as runs (first,
/// count).
std::vector<std::pair<std::int64_t, std::int64_t>>
marginRuns(const Storage &storage, const std::vector<std::int64_t> &extents);

/// Holds an element as it is stored, of two or four bytes.
struct Element {
    std::uint32_t bits = 0;
    int bytes = 4;
};
/// Returns a number as an element of single or half precision.
Element elementOf(double value, DataType type);

} // namespace graphloom
