// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/kernel_cache.h"
#include "engine/codegen/schedule_target.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Target::tune() with what it compiles with.
Result<std::shared_ptr<const KernelPlan>>
tuneKernels(const Plan &plan, const ScheduleTarget &target, const TuneOptions &options,
            const CCompiler &compiler, KernelCache &cache);

} // namespace graphloom::host
