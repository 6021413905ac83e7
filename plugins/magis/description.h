// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/search/optimizer.h"

namespace graphloom::magis {

/// Returns the F-Tree of a state together with the candidates of Algorithm 1, which have the number
/// 1. Larger fissions come first, which is the order of MemoryPlan::fissions.
std::vector<EnabledFission> treeOf(const SearchSpace &space, const State &state,
                                   std::span<const FissionIndex> candidates);

/// Describes a state in the terms of the plan: schedule, lifetimes with offsets, transfers, and
/// F-Tree with the candidates of Algorithm 1.
MemoryPlan described(const SearchSpace &space, const State &state,
                     std::span<const FissionIndex> candidates);
/// Adds latency, peak and steps of the state before optimization.
void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan);

} // namespace graphloom::magis
