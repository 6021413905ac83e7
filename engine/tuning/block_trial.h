// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/emit/plan_kernels.h"
#include "engine/runtime/trial/trial.h"
#include "engine/tuning/phase_tuner.h"

namespace graphloom {

/// Returns the buffer of a phase, for trials. `schedule` belongs to the nest whose operand a packed
/// buffer holds; it is null for other buffers.
TrialBuffer trialBufferOf(const BlockKernel &kernel, const KernelBuffer &buffer,
                          const Schedule *schedule);

/// Copies the result of a trial to its candidate.
void take(const TrialResult &row, TunedCandidate &candidate);

/// Gives a candidate its time.
void setTime(TunedCandidate &candidate, const PhaseTime &time);

/// Returns TrialJob::otherBytes for kernels of a plan: the bytes of memory that they use in one
/// run, constants and the most that is live at a time. What is written to the same memory later
/// takes no more of the caches.
std::int64_t bytesOfOneRun(const PlanKernels &kernels);

/// Returns libraries that have these functions: one that was built before, or else new ones, as
/// many as compilers run at once, which may take `seconds` to build. Fails as
/// KernelCache::library() does.
Result<std::vector<std::filesystem::path>>
librariesFor(const std::vector<const BlockKernel::Phase *> &phases, const ScheduleTarget &target,
             const PhaseTunerOptions &options, double seconds);

/// Holds kernels that run one after the other: those of one block or of several that exchange
/// tensors.
using KernelSequence = std::vector<const BlockKernel *>;

/// Measures different ways to compute the same, each a sequence of kernels: all phases, one after
/// the other, within the seconds of the options. A candidate's `schedule` is the algorithms of its
/// kernels, with " + " between them. Candidates that were cut off have no samples and no problem.
/// `bestSeconds` is as in TrialJob. A candidate that does not compile, crashes or hangs has a
/// problem. With PhaseTunerOptions::times, times are sums of those of the phases. Fails if trials
/// cannot begin.
Result<std::vector<TunedCandidate>> measureSequences(const std::vector<KernelSequence> &sequences,
                                                     const ScheduleTarget &target,
                                                     const PhaseTunerOptions &options,
                                                     double bestSeconds);

/// Measures sequences as measureSequences() does, but in turns and in one process: a machine that
/// is faster for a while is faster for all of them. Times are the least and the median of all
/// turns. A sequence that crashes has a problem, and those after it are measured all the same. Does
/// not call `options.measured`.
Result<std::vector<TunedCandidate>> measureInTurns(const std::vector<KernelSequence> &sequences,
                                                   const ScheduleTarget &target,
                                                   const PhaseTunerOptions &options);

/// Measures kernels of one block that compute it in different ways.
Result<std::vector<TunedCandidate>> measureBlocks(const std::vector<const BlockKernel *> &kernels,
                                                  const ScheduleTarget &target,
                                                  const PhaseTunerOptions &options,
                                                  double bestSeconds);

} // namespace graphloom
