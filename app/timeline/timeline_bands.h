// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/timeline/memory_timeline.h"
#include "engine/base/typed_index.h"

#include <array>
#include <span>

namespace graphloom {

/// Counts the columns of a window from the left.
using ColumnIndex = TypedIndex<struct TimelineColumnTag>;

/// A part of a timeline, divided into columns one pixel wide.
struct TimelineWindow {
    bool inTime = false;     // false: in steps
    double from = 0, to = 1; // places on that axis
    int columns = 1;

    ColumnIndex lastColumn() const { return ColumnIndex(columns - 1); }
    double column(double place) const { return (place - from) / (to - from) * columns; }
    double place(double column) const { return from + column / columns * (to - from); }
};

/// A stack of tensors, divided into columns. Each column shows that of its steps which has the most
/// memory, so that no peak is lost. What is too thin to be seen is summed up. The time to make it
/// grows at most with the number of tensors, and the amount to paint with the number of pixels.
struct TimelineBands {
    struct Band {
        std::uint32_t tensor;
        ColumnIndex first, last; // both inclusive
    };
    TimelineWindow window;
    IndexedVector<ColumnIndex, std::uint32_t> steps;
    std::vector<Band> bands; // from the bottom to the top
    /// Bytes of tensors that have no band of their own, by class and column.
    std::array<IndexedVector<ColumnIndex, std::int64_t>, MemoryTimeline::classCount> others;
    IndexedVector<ColumnIndex, std::int64_t> extras;  // MemoryTimeline::Step::extra
    IndexedVector<ColumnIndex, std::uint32_t> hidden; // number of tensors without a band

    /// Returns the band at a height in bytes above the weights in a column, and sets `below` to its
    /// lower edge. Returns null when there is none.
    const Band *at(const MemoryTimeline &timeline, ColumnIndex column, double bytes,
                   std::int64_t *below = nullptr) const;
    /// Returns the bytes below a band in a column, which the band must cover.
    std::int64_t under(const MemoryTimeline &timeline, const Band &band, ColumnIndex column) const;
    /// Returns the bytes below a band for each of its columns, from its first one on.
    std::vector<std::int64_t> under(const MemoryTimeline &timeline, const Band &band) const;
};

/// Returns the step that each column shows.
IndexedVector<ColumnIndex, std::uint32_t> stepsOf(const MemoryTimeline &timeline,
                                                  const TimelineWindow &window);
/// Makes the bands of a timeline. A tensor of fewer than `least` bytes has no band of its own,
/// unless it is in `always`, which is sorted.
TimelineBands bandsOf(const MemoryTimeline &timeline, const TimelineWindow &window,
                      std::int64_t least, std::span<const std::uint32_t> always = {});

} // namespace graphloom
