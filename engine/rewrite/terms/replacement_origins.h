// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>
#include <utility>
#include <vector>

namespace graphloom {

/// Tells nodes that are about to replace others at once which of them they come from: those that
/// they are connected with, over tensors that either of them write. `equal` has pairs of tensors
/// whose values are the same. Nodes that have origins keep them.
void giveOrigins(std::vector<Node> &added, const Graph &before, std::span<const NodeId> removed,
                 std::span<const std::pair<TensorId, TensorId>> equal);

} // namespace graphloom
