// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// The steps of a state, in the order of the graph, with buffers as the state has them: of the
/// bytes of one part where fissions cut them, and one for each life of a tensor that is evicted.
/// What computing them again takes is left out, so that peaks of its orders are estimates.
StepGraph stepsIn(const SearchSpace &space, const State &state);

/// Incremental scheduling (MAGIS Algorithm 2) of a state: its order, with what is around the peak
/// scheduled again for the bytes that its fissions and evictions leave. None where that finds no
/// other; the outcome has to be simulated.
std::optional<std::vector<int>> reordered(const SearchSpace &space, const State &state,
                                          const SchedulingOptions &options, SegmentCache *cache);

} // namespace graphloom::magis
