// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom {

/// Returns the algorithms and schedules that were found for the plan's kernels, with their times.
std::shared_ptr<const KernelPlan> tunedKernels(const Plan &plan, const PlanKernels &kernels,
                                               const PlanTuning &tuning, const TuningTarget &target,
                                               const PlanTunerOptions &options);

} // namespace graphloom
