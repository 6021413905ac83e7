// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/variants/variants.h"

#include <stop_token>

namespace graphloom::magis {

/// Returns the results of simpler methods, with all their settings: the graph's own order, the best
/// order alone, micro-batching (only the fission of most nodes), and checkpoints at equal distances
/// alone. The best result of each is the one with the lowest peak within the limit of seconds, or
/// the fastest within the limit of bytes. If stopped, returns the results so far.
std::vector<MemoryPlan::Baseline> baselinesOf(const SearchSpace &space, const Limits &limits,
                                              const std::stop_token &stop = {});
/// Returns the results for the original graph, and for the fastest variant if that is another one.
std::vector<MemoryPlan::Baseline> baselinesOf(const std::vector<Variant> &variants,
                                              const Limits &limits,
                                              const std::stop_token &stop = {});

} // namespace graphloom::magis
