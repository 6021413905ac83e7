// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/runtime/execution_plan.h"
#include "engine/target/target.h"

namespace graphloom {

/// Returns the steps as built plans describe them, with the work of their kernels.
std::vector<PlanStep> planStepsOf(const IndexedVector<StepIndex, ExecutionStep> &steps,
                                  const BlockKernels &kernels);

} // namespace graphloom
