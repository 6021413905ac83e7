// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"
#include "engine/tuning/plan_tuner.h"
#include "engine/tuning/reformer/join_trial.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom {

/// Holds a plan whose blocks were tuned.
struct ReformedPlan {
    Plan plan; // with other blocks, layouts and borders of subgraphs; no kernels yet
    std::shared_ptr<const PlanKernels> kernels; // of the plan's blocks, with the tuned algorithms
    PlanTuning tuning;                          // of these kernels
    std::vector<JoinTrial> joins;               // in the order of the trials
};

/// Tunes a plan as AGO's reformer does (section V, Fig. 2). SPLIT: blocks with several complex
/// operators are taken apart into blocks with at most one. Layouts of feature maps are changed as
/// far as that is measured to be faster (moveLayouts()). The blocks are tuned until they are
/// stable. JOIN: neighbouring blocks become one wherever the rules allow it (`plan.fusion->limits`:
/// without AGO's intensive fusion only blocks of at most one complex operator) and the joined
/// kernel, which begins with the schedules of its parts, is measured to be faster than the two one
/// after the other. Then what has changed is tuned further, and the whole plan runs with the joins
/// and without (PlanTunerOptions::wholeRuns): the faster one is returned. A join across a border of
/// the partition moves the border. Blocks that are locked stay. Every measurement is kept in the
/// database, and found there again.
///
/// Needs `plan.fusion`. `options.generate` and `options.initial` are ignored. Fails as tunePlan()
/// does, and as Ecg::of().
Result<ReformedPlan> reformedPlan(const Plan &plan, const TuningTarget &target,
                                  const PlanTunerOptions &options);

} // namespace graphloom
