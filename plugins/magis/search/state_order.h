// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/schedule/scheduling.h"
#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Returns the steps of a state, in the order of the graph, with buffers as the state has them:
/// with the bytes of one part where fissions cut them, and one buffer for each lifetime of a tensor
/// that is evicted. The buffers needed to compute tensors again are left out, so that peaks of
/// orders are estimates.
StepGraph stepsIn(const SearchSpace &space, const State &state);

/// Applies incremental scheduling (MAGIS Algorithm 2) to a state: schedules the steps around the
/// peak again, with the bytes that its fissions and evictions leave. Returns nothing if that finds
/// no other order; the outcome has to be simulated.
std::optional<StepOrder> reordered(const SearchSpace &space, const State &state,
                                   const SchedulingOptions &options, SegmentCache *cache);

} // namespace graphloom::magis
