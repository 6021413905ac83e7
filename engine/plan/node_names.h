// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <string>
#include <vector>

namespace graphloom {

/// How texts and files name a node: by its name, else by that of its first output.
std::string nodeName(const Graph &graph, NodeId id);

/// The same for all nodes, by node id, each different from the others: nodes whose name another one
/// has as well are named by their first output, and by a number where that does not help. Empty for
/// removed ones.
std::vector<std::string> distinctNodeNames(const Graph &graph);

} // namespace graphloom
