// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/runtime/trial/trial.h"
#include "engine/tuning/phase_tuner.h"

namespace graphloom {

/// The buffer of a phase, for trials. `schedule` is of the nest whose operand a packed one is.
TrialBuffer trialBufferOf(const BlockKernel &kernel, const KernelBuffer &buffer,
                          const Schedule &schedule);

/// What a trial says of its candidate.
void take(const TrialResult &row, TunedCandidate &candidate);

/// TrialJob::otherBytes for kernels of a plan: what all of them move together, at most what counts.
std::int64_t bytesOfOneRun(const PlanKernels &kernels);

/// The library that has these functions: one that was built before, or else a new one, for which
/// there are `seconds`. Fails as KernelCache::library() does.
Result<std::filesystem::path> libraryFor(const std::vector<const BlockKernel::Phase *> &phases,
                                         const ScheduleTarget &target,
                                         const PhaseTunerOptions &options, double seconds);

/// Measures kernels of one block that compute it in different ways: all phases, one after the
/// other, within the seconds of the options; those that were cut off have no samples and no
/// problem. `bestSeconds` as in TrialJob. A kernel that does not compile, crashes or hangs is one
/// with a problem. Fails when trials cannot begin.
Result<std::vector<TunedCandidate>> measureBlocks(const std::vector<const BlockKernel *> &kernels,
                                                  const ScheduleTarget &target,
                                                  const PhaseTunerOptions &options,
                                                  double bestSeconds);

} // namespace graphloom
