// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <filesystem>
#include <string>
#include <vector>

namespace graphloom::test {

/// What is wrong with a plan's export without running it; empty: nothing. The file: nodes behind
/// those that they read, in the graph, in functions and in nested graphs; one producer for a value;
/// names of nodes unique; functions that are called are there, take and give as many values, and
/// none is there for nothing; operator sets of all domains. The plan that is read back: it passes
/// checkPlan(), computes the same of the same inputs, by hashes, and infers the same types and
/// shapes; inputs and outputs have the model's names, types and shapes; the blocks, or subgraphs
/// where there are none, hold the same computations.
std::vector<std::string> structuralDefects(const Plan &plan, const std::filesystem::path &exported);

} // namespace graphloom::test
