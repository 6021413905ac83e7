// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/reformer/tuning_state.h"

#include <map>
#include <span>

namespace graphloom {

/// Names neighbouring blocks of a state: each of `others` reads what `first` computes, or they are
/// siblings: all read the same tensor, and none reads what another one computes.
struct Neighbours {
    TuningState::Block first;
    std::vector<TuningState::Block> others;
    bool siblings = false;
    double bytes = 0; // what need not be read from memory if they are one

    std::vector<TuningState::Block> all() const
    {
        std::vector<TuningState::Block> blocks{first};
        blocks.insert(blocks.end(), others.begin(), others.end());
        return blocks;
    }
};

/// Holds a state in which neighbours are one block each, under the name of the first one.
struct MergedState {
    TuningState state;
    /// The schedules that the merged kernels begin with (PlanTunerOptions::initial).
    std::map<std::string, std::string> initial;
};

/// Merges neighbours and composes the schedules of their kernels. The merged blocks compute as
/// `algorithm` says, or, if it is empty, as estimated, with Winograd's algorithm where their parts
/// use it and it does not keep them apart; siblings run together. Returns none where a merged block
/// gets no kernel, or one that runs the loop nests of its parts one after the other. Fails as
/// generateKernels(), with an error of usage if a merged block cannot compute so.
Result<std::optional<MergedState>> mergedState(const StateGenerator &generator,
                                               const TuningState &state,
                                               std::span<const Neighbours> neighbours,
                                               const std::string &algorithm,
                                               const std::stop_token &stop);

} // namespace graphloom
