// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/plan_kernels.h"
#include "engine/profile/profile_database.h"
#include "engine/tuning/phase_tuner.h"

namespace graphloom {

struct PlanTunerOptions {
    const CCompiler *compiler = nullptr;
    KernelCache *cache = nullptr;
    unsigned threads = 1;
    double seconds = 60;     // for all kernels together; 0: only what the database knows
    int trialsPerPhase = 64; // at most
    std::stop_token stop;
    /// Measured schedules, by kernel and device: read before, written with every trial. May be
    /// null.
    ProfileDatabase *database = nullptr;
    std::string device; // fingerprint, for the database
    std::function<void(double, std::string_view)> progress = [](double, std::string_view) {};
    /// Every candidate, with block and phase that it is of.
    std::function<void(std::size_t, std::size_t, const TunedCandidate &)> measured =
        [](std::size_t, std::size_t, const TunedCandidate &) {};
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
    /// By block given to generateKernels() and nest; empty where the default is kept.
    std::vector<std::vector<std::string>> schedules;
    std::vector<TunedPhase> phases; // the costliest first
    int trials = 0;
    double startSeconds = 0, bestSeconds = 0; // of all phases together, as measured one by one
};

/// Tunes the phases of a plan's kernels, equal ones once, the costliest first and each for a share
/// of the time as large as its share of the plan's time. What was measured before on this device is
/// taken from the database. Stopped, it gives the best so far. Fails when trials cannot begin.
Result<PlanTuning> tunePlan(const PlanKernels &kernels, const ScheduleTarget &target,
                            const PlanTunerOptions &options);

} // namespace graphloom
