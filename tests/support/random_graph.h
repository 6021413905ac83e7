// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace graphloom::test {

using Random = std::mt19937_64;

/// Returns a number below `bound` (at least 1), the same on every machine, unlike the distributions
/// of the standard library.
inline std::uint64_t below(Random &random, std::uint64_t bound)
{
    return random() % bound;
}

/// Returns true with the given probability, 0..1.
inline bool chance(Random &random, double probability)
{
    return double(random() >> 11) * 0x1p-53 < probability;
}

struct RandomGraphOptions {
    std::uint32_t nodes = 60;
    std::uint32_t inputs = 3;
    std::uint32_t constants = 8;
    /// Greatest distance, in tensors, that a node reads back: small values give long thin graphs.
    std::uint32_t reach = 16;
    double severalOutputs = 0.15; // share of nodes with two or three outputs
    double capture = 0.1;         // share of nodes that capture a tensor
};

/// Returns a valid graph of made-up operators: nodes with one to three inputs, omitted inputs and
/// outputs, captures, several outputs and repeated operands. Every unread tensor is an output.
Graph randomGraph(Random &random, const RandomGraphOptions &options = {});

/// Returns the same graph built again in another (topological) order, so that all ids differ, and
/// with other names of nodes and tensors.
Graph rebuilt(const Graph &graph, Random &random);

/// Returns a deep, thin graph as exporters write transformers: `nodes` nodes in blocks of twenty,
/// each reading weights, with one mask tensor that every block reads.
Graph transformerGraph(std::uint32_t nodes);

/// Returns an inconsistency in a graph (uses, producers, order, positions), or an empty string if
/// there is none.
std::string defectOf(const Graph &graph);

} // namespace graphloom::test
