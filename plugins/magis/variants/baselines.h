// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "plugins/magis/variants/variants.h"

#include <stop_token>

namespace graphloom::magis {

/// What simpler means reach, with all their settings: the graph's own order, the best order alone,
/// micro-batching (the fission of most nodes alone), checkpoints at equal distances alone. The best
/// of each is that with the lowest peak within the limit of seconds, or the fastest within that of
/// bytes. Where it is stopped, what it has by then.
std::vector<MemoryPlan::Baseline> baselinesOf(const SearchSpace &space, const Limits &limits,
                                              const std::stop_token &stop = {});
/// Of the graph as it came, and of the fastest variant, where that is another one.
std::vector<MemoryPlan::Baseline> baselinesOf(const std::vector<Variant> &variants,
                                              const Limits &limits,
                                              const std::stop_token &stop = {});

} // namespace graphloom::magis
