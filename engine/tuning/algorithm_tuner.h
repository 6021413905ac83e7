// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"
#include "engine/tuning/tuning_budget.h"

namespace graphloom {

struct AlgorithmTuning {
    /// By block given to generateKernels(); empty: as estimated.
    std::vector<std::string> algorithms;
    /// The plan's kernels with them; none where all are as estimated.
    std::optional<PlanKernels> kernels;
    std::vector<TunedBlock> blocks; // the costliest first
};

/// Looks for better ways to compute the blocks of a plan than the estimated ones, for blocks with
/// equal kernels once, the costliest first: other algorithms for their convolutions, then, on from
/// the best, other groups of nests and tiles of them; with a budget of no seconds, what the
/// database knows. What was measured before is not measured again. `measured` is called for each
/// trial, with the part of the block; `built` are kernels that were compiled before, or null. What
/// is not done when the budget is over is cut off.
///
/// A way is measured as the whole plan would have it: its kernels are generated anew, with storages
/// and margins that follow from it. What is counted is the block's own kernel with default
/// schedules; neglected is that kernels of neighbours become a little faster or slower by the other
/// margins, and that schedules are tuned afterwards, for the best way only.
Result<AlgorithmTuning>
tuneAlgorithms(const PlanKernels &estimated, const ScheduleTarget &target,
               const PlanTunerOptions &options, TuningBudget budget, const CompiledKernels *built,
               const std::function<void(std::uint32_t, const TunedCandidate &)> &measured);

} // namespace graphloom
