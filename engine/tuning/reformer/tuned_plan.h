// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"
#include "engine/tuning/plan_tuner.h"

namespace graphloom {

/// Says what a plan's kernels are tuned for.
struct TuningTarget {
    std::string name;                         // KernelPlan::target
    Provenance provenance = Provenance::Host; // of its times
    ScheduleTarget schedules;
};

/// Tunes the kernels of a plan by measured trials (tunePlan()) and, if the plan says so
/// (BlockTuning::reforms), its blocks (reformedPlan()). What whole blocks take is stored
/// in the database under the keys by which fusion looks them up. Of the options, `generate`,
/// `initial` and `stable` are ignored. Fails as tunePlan() does.
Result<Plan> tunedPlan(const Plan &plan, const TuningTarget &target,
                       const PlanTunerOptions &options);

} // namespace graphloom
