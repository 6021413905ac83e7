// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <span>
#include <vector>

/// Contains graphs of blocks with any number of operators, to see how the results of compiling them
/// grow.
namespace graphloom::test {

/// Returns functions and sums with weights, some with the same operand twice.
Graph elementwiseChain(int operators);
/// Returns elementwise operators between transpositions, gathers and reshapes that do not fit
/// together.
Graph rearrangedChain(int operators);
/// Returns sums and products of rows, columns and matrices, in pairs.
Graph broadcastTree(int operators);
/// Returns two functions of each value, and a third one of both.
Graph diamonds(int operators);
/// Returns rows whose mean is subtracted repeatedly.
Graph reductionChain(int operators);

/// Returns a chain of random movements: Transpose, Reshape, Slice, Gather and Concat.
Graph movementChain(std::uint64_t seed, int operators);
/// Returns gathers whose indices are gathered by other indices, and so on, and finally from data.
Graph indexChain(std::uint64_t seed, int operators);

/// Holds a graph that grows with its number of operators, with its name.
struct GrownBlock {
    const char *name;
    Graph (*make)(int operators);
};
std::span<const GrownBlock> grownBlocks();

} // namespace graphloom::test
