// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/schedule/schedule_target.h"
#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"

namespace graphloom {

/// Returns what a plan says of its kernels: layouts, and, if they are for vectors of these lanes,
/// algorithms and schedules.
KernelChoices kernelChoicesOf(const Plan &plan, const ScheduleTarget &target);

/// Returns the steps of a plan with their kernels, which are not compiled. Progress goes from 0 to
/// 0.5. Fails as generateKernels() and executionPlanOf() do.
Result<ExecutionPlan> executionPlanFor(const Plan &plan, const ScheduleTarget &target,
                                       const BuildOptions &options, bool placesAll = false,
                                       std::int64_t alignment = bufferAlignment);

/// Returns how the fingerprint of a device says the width of its vectors: "vectors of 8". Schedules
/// with loops over wider vectors are refused, and those for narrower ones leave lanes idle, so a
/// plan's are used where its device says the same.
std::string vectorsText(int lanes);

} // namespace graphloom
