// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/optimizer.h"

namespace graphloom::magis {

/// A state in the terms of the plan: schedule, lives with offsets, transfers, fission tree with the
/// candidates of Algorithm 1, and the points of an archive.
MemoryPlan described(const SearchSpace &space, const State &state, std::span<const int> candidates,
                     const ParetoArchive<State> &archive);
/// Adds what it was before.
void addUnoptimized(const SearchSpace &space, const State &before, MemoryPlan &plan);

} // namespace graphloom::magis
