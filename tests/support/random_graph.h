// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace graphloom::test {

using Random = std::mt19937_64;

/// A number below `bound` (at least 1), the same on every machine: the distributions of the
/// standard library are not.
inline std::uint64_t below(Random &random, std::uint64_t bound)
{
    return random() % bound;
}

/// True with the given chance, 0..1.
inline bool chance(Random &random, double probability)
{
    return double(random() >> 11) * 0x1p-53 < probability;
}

struct RandomGraphOptions {
    std::uint32_t nodes = 60;
    std::uint32_t inputs = 3;
    std::uint32_t constants = 8;
    /// How far back, in tensors, a node reads: small values give long thin graphs.
    std::uint32_t reach = 16;
    double severalOutputs = 0.15; // share of nodes with two or three outputs
    double capture = 0.1;         // share of nodes that capture a tensor
};

/// A valid graph of made-up operators: nodes with one to three inputs, omitted inputs and
/// outputs, captures, several outputs and repeated operands. Every unread tensor is an output.
Graph randomGraph(Random &random, const RandomGraphOptions &options = {});

/// The same graph put together anew in another (topological) order, so that all ids differ,
/// and with other names of nodes and tensors.
Graph rebuilt(const Graph &graph, Random &random);

/// A deep, thin graph as exporters write transformers: `nodes` nodes in blocks of twenty, each
/// reading weights, with one mask tensor that every block reads.
Graph transformerGraph(std::uint32_t nodes);

/// What contradicts itself in a graph (uses, producers, order, positions); empty when nothing.
std::string defectOf(const Graph &graph);

} // namespace graphloom::test
