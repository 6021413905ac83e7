// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/reformer/tuning_state.h"

#include <map>
#include <span>

namespace graphloom {

/// Names two neighbouring blocks of a state; `reader` reads what `writer` computes.
struct BlockPair {
    TuningState::Block writer, reader;
    double bytes = 0; // between them
};

/// Holds a state in which pairs of blocks are one block each, under the name of the writer.
struct MergedState {
    TuningState state;
    /// The schedules that the merged kernels begin with (PlanTunerOptions::initial).
    std::map<std::string, std::string> initial;
};

/// Merges pairs and composes the schedules of their kernels. The merged blocks compute as
/// `algorithm` says, or, if it is empty, as estimated, with Winograd's algorithm where their parts
/// use it. Returns none where a merged block gets no kernel, or one that runs the loop nests of the
/// two one after the other. Fails as generateKernels(), with an error of usage if a merged block
/// cannot compute so.
Result<std::optional<MergedState>> mergedState(const StateGenerator &generator,
                                               const TuningState &state,
                                               std::span<const BlockPair> pairs,
                                               const std::string &algorithm,
                                               const std::stop_token &stop);

} // namespace graphloom
