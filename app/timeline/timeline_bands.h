// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/timeline/memory_timeline.h"

#include <array>
#include <span>

namespace graphloom {

/// A part of a timeline, cut into columns as wide as a pixel.
struct TimelineWindow {
    bool inTime = false;     // else in steps
    double from = 0, to = 1; // on that axis
    int columns = 1;

    double column(double place) const { return (place - from) / (to - from) * columns; }
    double place(double column) const { return from + column / columns * (to - from); }
};

/// A stack of tensors over columns. Each column shows the step of those in it that has the most
/// memory, so that no peak is lost; what is too thin to be seen is summed up. What it takes to
/// make does not grow with more than the number of tensors, and what there is to paint with the
/// number of pixels.
struct TimelineBands {
    struct Band {
        std::uint32_t tensor;
        int first, last; // columns, both inclusive
    };
    TimelineWindow window;
    std::vector<std::uint32_t> steps; // by column
    std::vector<Band> bands;          // from the bottom to the top
    /// By class and column: bytes of those that have no band of their own.
    std::array<std::vector<std::int64_t>, MemoryTimeline::classCount> others;
    std::vector<std::int64_t> extras;  // by column: MemoryTimeline::Step::extra
    std::vector<std::uint32_t> hidden; // by column: how many these are

    /// The band at a height above the weights in a column, its lower edge in `below`; null: none.
    const Band *at(const MemoryTimeline &timeline, int column, double bytes,
                   std::int64_t *below = nullptr) const;
    /// Bytes under a band in a column, which it must be in.
    std::int64_t under(const MemoryTimeline &timeline, const Band &band, int column) const;
    /// The same for all of its columns.
    std::vector<std::int64_t> under(const MemoryTimeline &timeline, const Band &band) const;
};

/// By column the step that is shown.
std::vector<std::uint32_t> stepsOf(const MemoryTimeline &timeline, const TimelineWindow &window);
/// `least`: bytes below which a tensor has no band of its own, unless it is among `always`, which
/// is sorted.
TimelineBands bandsOf(const MemoryTimeline &timeline, const TimelineWindow &window,
                      std::int64_t least, std::span<const std::uint32_t> always = {});

} // namespace graphloom
