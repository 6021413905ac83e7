// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/plan_builder.h"
#include "engine/tuning/reformer/join_trial.h"
#include "engine/tuning/reformer/moved_borders.h"
#include "engine/tuning/reformer/reform_context.h"

namespace graphloom {

/// Holds what came of joining blocks.
struct BlockJoins {
    std::vector<JoinTrial> trials; // in their order
    MovedBorders borders;          // of the partition, for the joined blocks
    /// The schedules that joined kernels begin with (PlanTunerOptions::initial).
    std::map<std::string, std::string> initial;
    BlockMarks marks; // without those of blocks that were joined
};

/// Joins neighbouring blocks of a state as long as that is measured to be faster: AGO's JOIN
/// (section V), each with one of its readers or with all of them. Equal neighbours are measured
/// once, those that exchange most bytes first. Locked blocks stay. Ends early, with what is joined
/// so far, when its share of the budget is spent. Fails as measureInTurns() and generateKernels().
Result<BlockJoins> joinBlocks(const ReformContext &context, const BlockMarks &marks,
                              TuningState &state);

} // namespace graphloom
