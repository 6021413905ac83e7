// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <vector>

namespace graphloom {

// Sets of nodes, given and returned in the graph's order.

/// Those of the nodes that `from` leads to (or, backwards, that lead to it) along edges among them;
/// itself included.
std::vector<NodeId> closureOf(const Graph &graph, const std::vector<NodeId> &nodes, NodeId from,
                              bool forwards);

/// The parts that edges among the nodes hold together.
std::vector<std::vector<NodeId>> connectedParts(const Graph &graph,
                                                const std::vector<NodeId> &nodes);

} // namespace graphloom
