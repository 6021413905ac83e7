// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <string>
#include <vector>

namespace graphloom {

/// Describes how a complex operator that reads another's result can run together with it, tile by
/// tile, without computing anything twice (AGO section III-B): tiles are cut along axes over which
/// it reads each element only once; axes of reuse stay whole (Fig. 7). A pointwise convolution or
/// matrix product reuses over the output channels, a depthwise convolution over rows and columns,
/// and the other axes may be cut; any other convolution reuses over all three. Going beyond the
/// paper, both may slide along an axis of windows: what windows overlap in is kept.
struct IntensiveFusion {
    std::vector<std::string> reused;  // axes of the reader that must stay whole
    std::vector<std::string> tiled;   // axes that may be cut into tiles
    std::vector<std::string> windows; // axes of reuse by windows, which both may slide along

    bool isPossible() const { return !tiled.empty() || !windows.empty(); }
    /// Returns "tiles of y, x, and k whole", or "rows of y, each computed once and kept for the
    /// windows that read it".
    std::string text() const;
};

/// Returns the axes for a read by a node that has index maps; axes that run once are left out.
IntensiveFusion intensiveFusionOf(const EcgNode &reader, const EcgRead &read);

} // namespace graphloom
