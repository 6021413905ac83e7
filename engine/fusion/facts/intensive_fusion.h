// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/ecg.h"

#include <string>
#include <vector>

namespace graphloom {

/// AGO section III-B: a complex operator that reads another's result can run with it tile by tile,
/// and nothing is computed twice, when tiles are cut along axes over which it reads each element
/// once only; axes of reuse stay whole (Fig. 7). Of a pointwise convolution or matrix product the
/// output channels are reused, of a depthwise convolution rows and columns, and others may be cut;
/// any other convolution reuses all three.
struct IntensiveFusion {
    std::vector<std::string> reused; // axes of the reader that must stay whole
    std::vector<std::string> tiled;  // axes that may be cut into tiles

    bool isPossible() const { return !tiled.empty(); }
    /// "tiles of y, x, and k whole".
    std::string text() const;
};

/// Of a read by a node that has index maps; axes that run once are left out.
IntensiveFusion intensiveFusionOf(const EcgNode &reader, const EcgRead &read);

} // namespace graphloom
