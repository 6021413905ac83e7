// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_bars.h"

#include <algorithm>
#include <cmath>

namespace graphloom {

std::vector<LaneBar> barsOf(const Lanes &lanes, const Lanes::Lane &lane,
                            const TimelineWindow &window)
{
    std::vector<LaneBar> bars;
    bool wasThin = false;
    for (std::uint32_t i = lanes.firstAfter(lane, window.from); i < lane.end; ++i) {
        const Lanes::Slice &slice = lanes.slices[i];
        if (slice.start >= window.to)
            break;
        const double from = std::max(slice.start, window.from),
                     to = std::min(slice.end(), window.to);
        const LaneBar bar{window.column(from), window.column(to), i, 1, i, to - from};
        const bool thin = bar.width() < 1;
        if (thin && wasThin && std::floor(bars.back().left) == std::floor(bar.left)) {
            LaneBar &merged = bars.back();
            merged.right = bar.right;
            ++merged.count;
            merged.seconds += bar.seconds;
            if (slice.seconds > lanes.slices[merged.slice].seconds)
                merged.slice = i;
        } else {
            bars.push_back(bar);
        }
        wasThin = thin;
    }
    return bars;
}

} // namespace graphloom
