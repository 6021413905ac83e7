// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steady_clock.h"
#include "engine/codegen/emit/plan_kernels.h"
#include "engine/plan/kernel_plan.h"
#include "engine/profile/profile_database.h"
#include "engine/tuning/phase_tuner.h"

namespace graphloom {

struct PlanTunerOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1;
    /// For all kernels together; 0: only what the database knows. What is compiled or measured when
    /// they are over is cut off.
    double seconds = 60;
    std::int64_t trials = 0; // at most, all kernels together; 0: as many as there is time for
    int trialsPerPhase = 64; // schedules of one phase at most, where `trials` is 0
    std::stop_token stop;
    std::function<double()> clock = steadySeconds; // for `seconds`, from any time on
    /// Measured schedules, by kernel and device: read before, written with every trial. May be
    /// null.
    ProfileDatabase *database = nullptr;
    std::string device; // fingerprint, for the database
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Called once, when the kernels have been compiled as they are by default, where some of them
    /// are to be measured: `seconds` are counted from then on.
    std::function<void()> begun = [] {};
    /// Every candidate, with what it is of.
    std::function<void(const KernelPlace &, const TunedCandidate &)> measured =
        [](const KernelPlace &, const TunedCandidate &) {};
    /// The plan's kernels with other algorithms, KernelChoices::algorithms. Empty: algorithms stay
    /// as estimated.
    std::function<Result<PlanKernels>(const std::vector<std::string> &, std::stop_token)> generate =
        {};
};

/// One block, and how it is to be computed.
struct TunedBlock {
    std::uint32_t block = 0; // the first of those with equal kernels, of generateKernels()
    int uses = 1;            // of them
    std::string structure;   // in the database
    double startSeconds = 0, bestSeconds = 0; // with default schedules; 0: not measured
    int trials = 0;
    bool known = false; // from the database
    std::string algorithm;
};

/// One kernel phase and what was found for it.
struct TunedPhase {
    std::size_t block = 0, phase = 0;         // of the first place where it is used
    std::string symbol;                       // of its default form
    int uses = 1;                             // phases of the plan with equal code
    double startSeconds = 0, bestSeconds = 0; // least times of one call; 0: not measured
    int trials = 0;
    bool known = false; // from the database
    std::string schedule;
};

struct PlanTuning {
    /// By block given to generateKernels(); empty where the estimate is kept.
    std::vector<std::string> algorithms;
    /// The same, by nest: of the nests that those algorithms make.
    std::vector<std::vector<std::string>> schedules;
    /// With those algorithms and default schedules, where any is not the estimated one.
    std::shared_ptr<const PlanKernels> kernels;
    std::vector<TunedBlock> blocks; // that can be computed in several ways, the costliest first
    std::vector<TunedPhase> phases; // the costliest first
    int trials = 0;
    double startSeconds = 0, bestSeconds = 0; // of all phases together, as measured one by one
};

/// Chooses how the blocks of a plan compute (tuneAlgorithms()), then tunes the phases of their
/// kernels, equal ones once, the costliest first and each for a share of time and trials as large
/// as its share of the plan's time. What was measured before on this device is taken from the
/// database. Stopped, it gives the best so far. Fails when trials cannot begin.
Result<PlanTuning> tunePlan(const PlanKernels &kernels, const ScheduleTarget &target,
                            const PlanTunerOptions &options);

} // namespace graphloom
