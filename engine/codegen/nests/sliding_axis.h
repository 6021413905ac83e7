// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/shared_axes.h"

#include <optional>

namespace graphloom {

/// Describes what a nest computes for a row of the last nest of a group: its rows
/// stride * row + first .. stride * row + last.
struct RowWindow {
    std::int64_t stride = 1, first = 0, last = 0;

    /// Tells whether it computes just one row, the same one.
    bool isSame() const { return stride == 1 && first == 0 && last == 0; }
    /// Returns how many rows it computes for adjacent rows of the last nest.
    std::int64_t rowsFor(std::int64_t rows) const { return stride * (rows - 1) + last - first + 1; }
};

/// Describes an axis of consecutive nests along which some read what others write in windows, such
/// as the rows of a pointwise and then a depthwise convolution. As the last nest goes along it, the
/// others compute only the rows that are new; those still read are kept in a ring.
struct SlidingAxis {
    MemberAxes axes;
    IndexedVector<MemberIndex, RowWindow> windows;
};

/// Returns the outermost such axis of the nests. None if there is none: each nest but the last must
/// be read along it by windows that do not depend on data, along one dimension, or compute the same
/// rows as the last one from what a nest before them writes; and what is read outside of the group
/// must not be written in windows.
std::optional<SlidingAxis> slidingAxisOf(const BlockNests &block, NestIndex first, int count);

} // namespace graphloom
