// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace graphloom {

/// Describes where the elements of a tensor are in its buffer: element (i0, i1, …) is at base + sum
/// of strides[d] * i_d, counted in elements. Around the tensor there may be a margin that holds
/// `marginValue`, so that windows may read outside of it.
struct Storage {
    std::vector<std::int64_t> strides;
    std::int64_t base = 0;
    std::int64_t elements = 0; // of the buffer, margins included
    /// Elements before and after each dimension; empty: none.
    std::vector<std::pair<std::int64_t, std::int64_t>> margins;
    double marginValue = 0;
    /// Dimensions that are counted from the beginning of a tile in a thread's memory (NestGroup);
    /// empty: none.
    std::vector<bool> local;
    /// Describes a dimension of which only some indices are in memory at a time: index i is in slot
    /// (i + margins[dimension].first) mod slots. Its stride is that of the slots. 0 slots: none.
    struct Ring {
        std::size_t dimension = 0;
        std::int64_t slots = 0;
        bool operator==(const Ring &) const = default;
    };
    Ring ring;

    bool operator==(const Storage &) const = default;

    /// Returns a dense storage with margins, its dimensions in the given order, outermost first.
    static Storage dense(const std::vector<std::int64_t> &extents,
                         const std::vector<std::size_t> &order,
                         std::vector<std::pair<std::int64_t, std::int64_t>> margins = {},
                         double marginValue = 0);
    /// Returns a dense storage in row-major order.
    static Storage rowMajor(const std::vector<std::int64_t> &extents);
};

} // namespace graphloom
