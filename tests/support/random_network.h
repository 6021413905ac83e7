// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "tests/support/random_graph.h"

#include <cstdint>
#include <vector>

namespace graphloom::test {

struct RandomNetworkOptions {
    int nodes = 10;
    /// Includes operators that sum up many elements or divide; not if inputs have infinities.
    bool contractions = true;
};

/// Returns a small network of float operators as in real models: convolutions of every kind,
/// products, pooling, normalizations, reductions, movements, broadcasts; odd extents, strides, pads
/// beyond the window, dilations, groups, extents of 1, sometimes of 0, and outputs that other nodes
/// read, too. Calls that contradict the operator's definition are not made.
Graph randomNetwork(Random &random, std::int64_t opset, const RandomNetworkOptions &options = {});

/// Returns consecutive nodes of the graph's order as blocks of random sizes.
std::vector<std::vector<NodeId>> randomBlocks(const Graph &graph, Random &random, std::size_t most);

} // namespace graphloom::test
