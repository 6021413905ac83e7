// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Returns names for nodes without one that are about to replace others at once, in topological
/// order: a node with the operator of a removed one takes its name, such as a convolution into
/// whose weights a factor was folded; of several, the last takes that of the last. Empty for the
/// others.
std::vector<std::string> keptNames(std::span<const Node> added, const Graph &before,
                                   std::span<const NodeId> removed);

} // namespace graphloom
