// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <span>
#include <vector>

/// Blocks of as many operators as one wants, to see how what is made of them grows.
namespace graphloom::test {

/// Functions and sums with weights, some with the same operand twice.
Graph elementwiseChain(int operators);
/// The same between transpositions, gathers and reshapes that do not fit together.
Graph rearrangedChain(int operators);
/// Sums and products of rows, columns and matrices, pair by pair.
Graph broadcastTree(int operators);
/// Two functions of each value, and a third of both.
Graph diamonds(int operators);
/// Rows from which their mean is taken, again and again.
Graph reductionChain(int operators);

/// A chain of movements by chance: Transpose, Reshape, Slice, Gather and Concat.
Graph movementChain(std::uint64_t seed, int operators);
/// Gathers whose indices are gathered by indices, and so on, and at the end from data.
Graph indexChain(std::uint64_t seed, int operators);

/// Those that grow with their operators, by name.
struct GrownBlock {
    const char *name;
    Graph (*make)(int operators);
};
std::span<const GrownBlock> grownBlocks();

} // namespace graphloom::test
