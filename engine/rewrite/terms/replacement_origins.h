// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>
#include <utility>
#include <vector>

namespace graphloom {

/// Gives origins to nodes that are about to replace others at once: those of the removed nodes that
/// they are connected with, over tensors that either of them write. `equal` holds pairs of tensors
/// whose values are the same. Nodes that have origins keep them.
void giveOrigins(std::vector<Node> &added, const Graph &before, std::span<const NodeId> removed,
                 std::span<const std::pair<TensorId, TensorId>> equal);

} // namespace graphloom
