// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"
#include "engine/tuning/plan_tuner.h"

#include <span>

namespace graphloom {

/// Names a plan and its kernels, with default schedules; the plan has the tuned ones.
struct WholePlan {
    Plan plan;
    const PlanKernels *kernels = nullptr;
};

/// Returns what runs of whole plans take: what the database knows of all of them, or else what
/// PlanTunerOptions::wholeRuns measures within so many seconds, which is kept there. Returns
/// nothing if they are not known and cannot be run in time.
std::vector<WholeTime> wholeTimesOf(std::span<const WholePlan> plans,
                                    const PlanTunerOptions &options, double seconds);

} // namespace graphloom
