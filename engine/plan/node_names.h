// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// Returns the name by which texts and files refer to a node: its own name, or that of its first
/// output if it has none.
std::string nodeName(const Graph &graph, NodeId id);

/// Returns such names for all nodes, by node id, each different from the others. Nodes that share a
/// name are named by their first output, with a number added if that does not help. Entries of
/// removed nodes are empty.
std::vector<std::string> distinctNodeNames(const Graph &graph);

} // namespace graphloom
