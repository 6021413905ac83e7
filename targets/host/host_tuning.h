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

/// Returns what the latency of a kernel depends on here besides the number of threads
/// (Device::fingerprint).
std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler);

} // namespace graphloom::host
