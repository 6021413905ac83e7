// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/plan_tuner.h"
#include "engine/tuning/tuning_budget.h"

namespace graphloom {

struct AlgorithmTuning {
    PartAlgorithms algorithms;
    /// The plan's kernels with these algorithms; empty if all are as estimated.
    std::optional<PlanKernels> kernels;
    std::vector<TunedBlock> blocks; // the costliest first
};

/// Searches for better ways to compute the blocks of a plan than the estimated ones, once for
/// blocks with equal kernels, the costliest first: other algorithms for their convolutions, then,
/// starting from the best, other groupings and tiles of their nests. With a budget of no seconds,
/// uses only the database. Ways that were measured before are not measured again. `measured` is
/// called for each trial, with the block; `built` are kernels that were compiled before, or null.
/// Work that is not done when the budget is over is cut off.
///
/// A way is measured as the whole plan would use it: its kernels are generated anew, with the
/// storages and margins that follow from it. Only the block's own kernel with default schedules
/// counts. This neglects that kernels of neighbours become slightly faster or slower with other
/// margins, and that schedules are tuned afterwards, for the best way only.
Result<AlgorithmTuning>
tuneAlgorithms(const PlanKernels &estimated, const ScheduleTarget &target,
               const PlanTunerOptions &options, TuningBudget budget, const CompiledKernels *built,
               const std::function<void(PartIndex, const TunedCandidate &)> &measured);

} // namespace graphloom
