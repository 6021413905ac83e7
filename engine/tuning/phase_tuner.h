// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/codegen/build/c_compiler.h"
#include "engine/codegen/build/compiled_kernels.h"
#include "engine/plan/search_record.h"
#include "engine/tuning/phase_model.h"
#include "engine/tuning/phase_space.h"

#include <functional>
#include <map>
#include <stop_token>

namespace graphloom {

/// Describes one measured candidate.
struct TunedCandidate {
    PhaseChoice choice;
    std::string schedule;   // as text, of all nests; for a block, its BlockAlgorithm
    bool byDefault = false; // it is the kernel's form without tuning
    int uses = 1;           // equal kernels of the plan, including this one
    double seconds = 0;     // median of one call; 0 if there is a problem
    double least = 0;
    int samples = 0;
    std::string problem; // why it was not measured: does not compile, crashed, took too long
};

/// Holds the known times of a schedule; no samples: it failed.
struct KnownTime {
    double seconds = 0, least = 0; // as in TunedCandidate
    int samples = 0;
};

struct PhaseTunerOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    PhaseTimes times;            // take the place of compiling and running; empty: candidates run
    unsigned threads = 1;        // with which the kernel runs
    unsigned compilers = 1;      // that run at once
    double seconds = 10;         // for the whole tuning; unfinished work is cut off
    double sampleSeconds = 0.1;  // of the samples of one candidate
    int trials = 64;             // candidates that are not known, at most
    std::int64_t otherBytes = 0; // as in TrialJob
    /// Phases that were compiled before; null: none.
    const CompiledKernels *built = nullptr;
    std::stop_token stop;
    std::function<double()> clock = steadySeconds; // for `seconds`, since an arbitrary moment
    /// The times of schedules that were measured before, by text, which are not measured again. The
    /// search walks through them as if it had just measured them.
    std::map<std::string, KnownTime> known = {};
    /// Schedules as text that the search may begin from if they are faster than the estimate;
    /// empty: none.
    std::string initial = {};
    /// Called with every candidate, as soon as it is measured or has failed.
    std::function<void(const TunedCandidate &)> measured = [](const TunedCandidate &) {};
};

struct PhaseTuning {
    TunedCandidate start,
        best;       // start is the estimate; best is never slower than start; no samples: cut off
    int trials = 0; // candidates that were measured or failed
    SearchRecord search;
};

/// Searches for a faster schedule of one phase: candidates are compiled many at a time and measured
/// in a child process, and a best-first search (engine/search) continues from the fastest. A
/// candidate that does not compile, crashes or hangs has a problem.
/// Fails if trials cannot begin at all.
Result<PhaseTuning> tunePhase(const BlockKernel &kernel, PhaseIndex phase,
                              const ScheduleTarget &target, const PhaseTunerOptions &options);

} // namespace graphloom
