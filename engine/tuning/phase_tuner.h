// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/compiled_kernels.h"
#include "engine/plan/search_record.h"
#include "engine/tuning/phase_space.h"

#include <functional>
#include <map>
#include <stop_token>

namespace graphloom {

/// One measured candidate.
struct TunedCandidate {
    PhaseChoice choice;
    std::string schedule;   // as text, of all nests; of a block, how it computes (BlockAlgorithm)
    bool byDefault = false; // what the kernel has without tuning
    int uses = 1;           // kernels of the plan that are equal to it, with itself
    double seconds = 0;     // median of one call; 0 where there is a problem
    double least = 0;
    int samples = 0;
    std::string problem; // why it was not measured: does not compile, crashed, took too long
};

/// What is known of a schedule.
struct KnownTime {
    double seconds = 0, least = 0; // as in TunedCandidate
    int samples = 0;
};

struct PhaseTunerOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1;        // that the kernel runs with
    double seconds = 10;         // for all of it; what is not done by then is cut off
    double sampleSeconds = 0.1;  // of the samples of one candidate
    int trials = 64;             // candidates at most
    std::int64_t otherBytes = 0; // as in TrialJob
    /// Phases that were compiled before; null: none were.
    const CompiledKernels *built = nullptr;
    std::stop_token stop;
    std::function<double()> clock = steadySeconds; // for `seconds`, from any time on
    /// What was measured of schedules before, by their text: candidates among `trials` that are not
    /// measured again.
    std::map<std::string, KnownTime> known = {};
    /// Called with every candidate, as soon as it is measured or has failed.
    std::function<void(const TunedCandidate &)> measured = [](const TunedCandidate &) {};
};

struct PhaseTuning {
    TunedCandidate start, best; // best is never slower than start; without samples: cut off
    int trials = 0;             // that were measured or have failed
    SearchRecord search;
};

/// Looks for a faster schedule of one phase: candidates are compiled many at a time and measured in
/// a child process, and a best-first search (engine/search) goes on from the fastest (AGO section
/// IV-C, for one block). A candidate that does not compile, crashes or hangs is one with a
/// problem. Fails when trials cannot begin at all.
Result<PhaseTuning> tunePhase(const BlockKernel &kernel, std::size_t phase,
                              const ScheduleTarget &target, const PhaseTunerOptions &options);

} // namespace graphloom
