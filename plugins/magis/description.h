// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/optimizer.h"

namespace graphloom::magis {

/// A state in the terms of the plan: schedule, lives with offsets, transfers, and fission tree with
/// the candidates of Algorithm 1.
MemoryPlan described(const SearchSpace &space, const State &state, std::span<const int> candidates);
/// Adds what it was before.
void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan);

} // namespace graphloom::magis
