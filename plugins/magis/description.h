// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/search/optimizer.h"

namespace graphloom::magis {

/// The F-Tree of a state with the candidates of Algorithm 1, whose number is 1; larger ones first,
/// which is the order of MemoryPlan::fissions.
std::vector<EnabledFission> treeOf(const SearchSpace &space, const State &state,
                                   std::span<const int> candidates);

/// A state in the terms of the plan: schedule, lives with offsets, transfers, and fission tree with
/// the candidates of Algorithm 1.
MemoryPlan described(const SearchSpace &space, const State &state, std::span<const int> candidates);
/// Adds what it was before.
void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan);

} // namespace graphloom::magis
