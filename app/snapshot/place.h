// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"

#include <vector>

namespace graphloom {

/// One step into a graph that a node holds in an attribute, as If, Loop and Scan do.
struct GraphStep {
    NodeId node;
    std::uint32_t index = 0; // among the node's graphs, in the order of its attributes

    auto operator<=>(const GraphStep &) const = default;
};

/// The path from the model's own graph to one nested in it. The empty path is the model's own
/// graph.
using GraphPath = std::vector<GraphStep>;

/// An item of one of the model's graphs. Ids of nodes and tensors are valid within their graph
/// only.
struct Place {
    GraphPath path;
    Item item;

    bool operator==(const Place &) const = default;
};

} // namespace graphloom
