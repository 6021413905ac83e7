// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lanes.h"
#include "app/timeline/timeline_bands.h"

#include <vector>

namespace graphloom {

/// Describes a slice as it is drawn, or several that begin in the same column and are narrower than
/// one: the amount to paint grows with the number of columns, not with that of slices.
struct LaneBar {
    double left = 0, right = 0; // columns of the window, clipped at its ends
    std::uint32_t first = 0, count = 1;
    std::uint32_t slice = 0; // the longest of them
    double seconds = 0;      // of all of them, in the window

    double width() const { return right - left; }
    bool isMerged() const { return count > 1; }
};

/// Returns the bars of a lane in a window, from left to right. They do not overlap. The window is
/// one of seconds.
std::vector<LaneBar> barsOf(const Lanes &lanes, const Lanes::Lane &lane,
                            const TimelineWindow &window);

} // namespace graphloom
