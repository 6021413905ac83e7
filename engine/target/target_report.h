// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// What became of a plan on a target.
struct TargetOutcome {
    std::string target, device, toolchain;
    std::string instructionSet;               // of kernels; empty: the device has no choice of them
    double buildSeconds = 0;                  // on this machine
    std::vector<PlanStep> steps, stepsBefore; // the latter of the plan that is compared with
    unsigned threads = 1;
    Provenance provenance = Provenance::Host;
    PlanMemory memory;
    std::optional<PlanMemory> memoryBefore;   // of the plan that is compared with
    std::optional<Measurement> before, after; // none: nothing was measured
    std::size_t filledWeights = 0;            // that got pseudo-random elements for measuring
    /// Of tuning, and of what came before it: generating and compiling kernels as they are by
    /// default, which is not of its budget.
    std::optional<double> tuningSeconds, tuningSetupSeconds;
};

/// Adds the sections build, latency, memory and kernels to a report. A section memory that is there
/// becomes memory.plan.
void addTargetSections(nlohmann::ordered_json &report, const TargetOutcome &outcome);

/// One run for chrome://tracing and ui.perfetto.dev, in the Trace Event Format: a slice for each
/// step and thread, with what it computed and how.
std::string traceJson(const std::string &title, const std::vector<PlanStep> &steps,
                      const std::vector<TraceSlice> &slices);

} // namespace graphloom
