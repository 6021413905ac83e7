// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <vector>

namespace graphloom {

/// One node as a graph of its own, which the interpreter runs.
struct NodeGraph {
    Graph graph;
    std::vector<TensorId> inputs, outputs; // of the whole graph, in its inputs' and outputs' order
};

Result<NodeGraph> graphOf(const Graph &whole, NodeId id);

} // namespace graphloom
