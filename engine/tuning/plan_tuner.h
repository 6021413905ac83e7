// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/codegen/emit/plan_kernels.h"
#include "engine/plan/kernel_plan.h"
#include "engine/profile/profile_database.h"
#include "engine/tuning/gain_curve.h"
#include "engine/tuning/phase_tuner.h"

namespace graphloom {

/// What runs of a whole plan took, in seconds.
struct WholeTime {
    double median = 0, least = 0;
    int runs = 0;
};

struct PlanTunerOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    /// Take the place of compiling and running by the host. Empty: kernels run here. If they are
    /// those of a model and trials are limited, results repeat exactly; then, `wholeRuns` must not
    /// run plans, either, and the database must hold no measured times.
    PhaseTimes times;
    unsigned threads = 1;   // with which kernels run
    unsigned compilers = 1; // that run at once; nothing is measured meanwhile
    /// The time for everything together; 0: only use the database. Work that is being compiled or
    /// measured when it is over is cut off.
    double seconds = 60;
    std::int64_t trials = 0;  // at most, all kernels together; 0: as many as there is time for
    int trialsPerPhase = 256; // schedules of one phase at most, where `trials` is 0
    StableTimes stable;       // when a kernel is not tuned further
    std::stop_token stop;
    std::function<double()> clock = steadySeconds; // for `seconds`, since an arbitrary moment
    /// The database of measured schedules, by kernel and device: read first, written with every
    /// trial. May be null.
    ProfileDatabase *database = nullptr;
    std::string device;                       // fingerprint, for the database
    Provenance provenance = Provenance::Host; // of the times
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Called once, before the first trial: kernels by default have been compiled, as far as a part
    /// of the time allowed.
    std::function<void()> prepared = [] {};
    /// Called with every candidate and the place that it belongs to.
    std::function<void(const KernelPlace &, const TunedCandidate &)> measured =
        [](const KernelPlace &, const TunedCandidate &) {};
    /// Schedules to begin with besides the default ones, as text, by the symbol of the phase with
    /// default schedules.
    std::map<std::string, std::string> initial = {};
    /// Generates the plan's kernels with other algorithms (KernelChoices::algorithms). Empty:
    /// algorithms stay as estimated.
    std::function<Result<PlanKernels>(const PartAlgorithms &, std::stop_token)> generate = {};
    /// Builds plans and runs them as a whole, in turns, within so many seconds; returns the times
    /// in their order. Fails if they cannot be built or run in time. Empty: plans are compared by
    /// their kernels only.
    std::function<Result<std::vector<WholeTime>>(std::span<const Plan>, double seconds)> wholeRuns =
        {};
};

/// Returns the options that all trials for a plan have in common, within so many seconds.
PhaseTunerOptions trialOptions(const PlanTunerOptions &options, double seconds);

/// Describes one block and how it is to be computed.
struct TunedBlock {
    PartIndex block;                          // the first of those with equal kernels
    int uses = 1;                             // number of blocks with equal kernels
    std::string structure;                    // key in the database
    double startSeconds = 0, bestSeconds = 0; // with default schedules; 0: not measured
    int trials = 0;
    bool known = false; // from the database
    std::string algorithm;
};

/// Describes one kernel phase and the schedule found for it.
struct TunedPhase {
    // Of its first use:
    BlockIndex block;
    PhaseIndex phase;
    std::string symbol;                       // of the default kernel
    int uses = 1;                             // phases of the plan with equal code
    double startSeconds = 0, bestSeconds = 0; // least times of one call; 0: not measured
    int trials = 0;
    bool known = false; // from the database
    std::string schedule;
};

struct PlanTuning {
    PartAlgorithms algorithms;
    PartSchedules schedules; // of the nests that these algorithms produce
    /// The kernels with these algorithms and default schedules, if any algorithm is not the
    /// estimated one.
    std::shared_ptr<const PlanKernels> kernels;
    std::vector<TunedBlock> blocks; // those with several ways to compute them, the costliest first
    std::vector<TunedPhase> phases; // the costliest first
    int trials = 0;
    double startSeconds = 0, bestSeconds = 0; // sums over all phases, measured one by one
};

/// Chooses how the blocks of a plan compute (tuneAlgorithms()), then tunes the phases of their
/// kernels, equal ones once, in rounds of a few trials: always the kernel that is expected to gain
/// most (GainCurve), until all are stable. Ways measured before on this device are taken from the
/// database. When stopped, returns the best so far. Fails if trials cannot begin.
Result<PlanTuning> tunePlan(const PlanKernels &kernels, const ScheduleTarget &target,
                            const PlanTunerOptions &options);

} // namespace graphloom
