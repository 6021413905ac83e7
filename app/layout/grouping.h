// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layered.h"
#include "app/layout/layout.h"

#include <optional>
#include <stop_token>

namespace graphloom::layout {

/// The graph seen from outside its groups: each group is one box that was laid out on its own,
/// with ports where edges enter at the top and leave at the bottom.
struct Grouped {
    LayeredInput outer;                    // boxes first, then the nodes without a group
    std::vector<std::uint32_t> outerOf;    // by node
    std::vector<Point> axisInBox;          // by node: from its box' top left; unused outside groups
    std::vector<std::uint32_t> outerEdge;  // by edge; none within a group and for stubs
    std::vector<Route> startInBox, endInBox; // by edge: within the source's and target's box
    std::vector<Rect> boxes;               // by group, top left at the origin
};

/// Lays out every group. `extents` gives the room of each node including stub labels; `drawn`
/// tells which edges are drawn as lines. None when stopped.
std::optional<Grouped> drawGroups(const Input &input, const std::vector<LayeredNode> &extents,
                                  const std::vector<bool> &drawn, const Options &options,
                                  std::stop_token stop);

} // namespace graphloom::layout
