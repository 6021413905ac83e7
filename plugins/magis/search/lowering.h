// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Steps from one state to another that change many policies at once: where several peaks are
/// equally high, a single re-materialization or swap gains nothing.
struct Lowering {
    /// Bytes that no step should need more than: ever fewer, on the way to the last of them.
    std::vector<std::int64_t> targets = {};
    /// What a second of transfers counts as, against a second of kernels: they are hidden as long
    /// as the streams have time.
    double transferWeight = 0.1;
    bool recomputes = true, swaps = true;
    /// Multiplies what each eviction seems to cost by up to so much, at random: to get elsewhere.
    double noise = 1;
    std::uint64_t seed = 0;
};

/// Policies that evict, besides what the state evicts already, what costs least for its bytes at
/// each step that needs more than the target, for each of the targets; estimated on the state's
/// memory profile, so that outcomes have to be simulated. The last one gets as low as it can:
/// behind a target that cannot be reached there are none.
std::vector<std::vector<Policy>> lowered(const SearchSpace &space, const State &state,
                                         const Trace &trace, const Lowering &lowering);

/// Policies without the evictions that the limit does not need: costly ones first. Estimated, too.
std::vector<Policy> relaxed(const SearchSpace &space, const State &state, const Trace &trace,
                            std::int64_t limit);

} // namespace graphloom::magis
