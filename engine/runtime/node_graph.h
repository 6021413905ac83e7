// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <vector>

namespace graphloom {

/// Holds one node as a graph of its own, which the interpreter runs.
struct NodeGraph {
    Graph graph;
    std::vector<TensorId> inputs, outputs; // ids in the whole graph, in the order of `graph`
};

Result<NodeGraph> graphOf(const Graph &whole, NodeId id);

} // namespace graphloom
