// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Parametrizes moves from one state to another that change many policies at once. Where several
/// peaks are equally high, a single re-materialization or swap gains nothing.
struct Lowering {
    /// Bytes that no step should exceed, descending.
    std::vector<std::int64_t> targets = {};
    /// Cost of a second of transfers in seconds of kernels. It is low since kernels hide transfers
    /// as long as the streams have time.
    double transferWeight = 0.1;
    bool recomputes = true, swaps = true;
    /// Factor up to which the estimated cost of each eviction is multiplied, at random, so that
    /// runs end in different states.
    double noise = 1;
    std::uint64_t seed = 0;
};

/// Returns for each of the targets policies that evict, in addition to the evictions of the state,
/// the tensors that cost least for their bytes at each step above the target. Peaks are estimated
/// on the state's memory profile, so that outcomes have to be simulated. If a target cannot be
/// reached, its policies come as close as possible and are the last ones.
std::vector<Policies> lowered(const SearchSpace &space, const State &state, const Trace &trace,
                              const Lowering &lowering);

/// Returns policies without the evictions that the limit of bytes does not need, dropping costly
/// ones first. These are estimated, too.
Policies relaxed(const SearchSpace &space, const State &state, const Trace &trace,
                 std::int64_t limit);

} // namespace graphloom::magis
