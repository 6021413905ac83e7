// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/build/kernel_cache.h"
#include "engine/codegen/schedule/schedule_target.h"
#include "engine/target/target.h"

namespace graphloom::host {

/// Implements Target::tune() with the given compiler and cache, for vectors that this processor can
/// execute. `host` runs whole plans.
Result<Plan> tuneKernels(const Plan &plan, const InstructionSet &set, const ScheduleTarget &target,
                         const TuneOptions &options, const CCompiler &compiler, KernelCache &cache,
                         const Target &host);

/// Implements Target::tune() with modelled times. Schedules are for `target`, or, if the plan's
/// device is only described, for the vectors and units of that.
Result<Plan> tuneByModel(const Plan &plan, const ScheduleTarget &target,
                         const TuneOptions &options);

/// Returns what the latency of a kernel depends on here besides the number of threads
/// (Device::fingerprint).
std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler);

/// Tells whether schedules of the plan may be used with these vectors: those with loops over wider
/// vectors are refused, and those for narrower ones leave lanes idle.
bool isTunedFor(const KernelPlan &kernels, const InstructionSet &set);

} // namespace graphloom::host
