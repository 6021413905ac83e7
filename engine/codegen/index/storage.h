// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace graphloom {

/// Where the elements of a tensor are in its buffer: element (i0, i1, …) at
/// base + sum of strides[d] * i_d, counted in elements. Around the tensor there may be a margin
/// that holds `marginValue`, so that windows may read outside of it.
struct Storage {
    std::vector<std::int64_t> strides;
    std::int64_t base = 0;
    std::int64_t elements = 0; // of the buffer, margins included
    /// Elements before and behind each dimension; empty: none.
    std::vector<std::pair<std::int64_t, std::int64_t>> margins;
    double marginValue = 0;
    /// Of a tile in a thread's memory: dimensions that are counted from the tile's begin; empty:
    /// none (NestGroup).
    std::vector<bool> local;

    bool operator==(const Storage &) const = default;

    /// Dense, the dimensions in the given order, outermost first, with margins.
    static Storage dense(const std::vector<std::int64_t> &extents, const std::vector<int> &order,
                         std::vector<std::pair<std::int64_t, std::int64_t>> margins = {},
                         double marginValue = 0);
    /// Dense in row-major order.
    static Storage rowMajor(const std::vector<std::int64_t> &extents);
};

} // namespace graphloom
