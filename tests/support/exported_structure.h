// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::test {

/// Returns the defects of a plan's export that are found without running it; empty if there are
/// none. The file: nodes follow those that they read, in the graph, in functions and in nested
/// graphs; each value has one producer; names of nodes are unique; functions that are called exist,
/// have as many inputs and outputs as their calls, and each is called; the operator sets of all
/// domains are declared. The plan that is read back: it passes checkPlan(), computes the same from
/// the same inputs, by hashes, and infers the same types and shapes; inputs and outputs have the
/// model's names, types and shapes; the blocks, or the subgraphs if there are none, hold the same
/// computations.
std::vector<std::string> structuralDefects(const Plan &plan, const std::filesystem::path &exported);

} // namespace graphloom::test
