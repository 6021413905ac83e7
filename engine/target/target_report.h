// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Holds the outcome of building and measuring a plan on a target.
struct TargetOutcome {
    std::string target, device, toolchain;
    std::string instructionSet; // used by the kernels; empty: the device offers no choice
    double buildSeconds = 0;    // on this machine
    std::vector<PlanStep> steps, stepsBefore; // stepsBefore: of the plan to compare with
    unsigned threads = 1;
    Provenance provenance = Provenance::Host;
    PlanMemory memory;
    std::optional<PlanMemory> memoryBefore;   // of the plan to compare with
    std::optional<Measurement> before, after; // empty: nothing was measured
    std::size_t filledWeights = 0;            // filled with pseudo-random elements for measuring
    /// Seconds of tuning, and those of them before the first trial: for generating and compiling
    /// default kernels.
    std::optional<double> tuningSeconds, tuningSetupSeconds;
    bool besideOriginal = false; // what it is compared with is the original, each node a kernel
    /// What threads did in one run of `steps`, and of `stepsBefore`; empty: not traced.
    std::vector<TraceSlice> trace, traceBefore;
};

/// Returns the device that an outcome is of, as for --target: "host:cpu".
std::string nameOf(const TargetOutcome &outcome);

/// Adds the sections build, latency, memory and kernels to a report. An existing section memory
/// becomes memory.plan.
void addTargetSections(nlohmann::ordered_json &report, const TargetOutcome &outcome);

/// Adds the section devices to a report: what was measured of one plan on several devices; if there
/// are several, also as points of the section pareto. Nothing is added if there is no measurement.
void addDevices(nlohmann::ordered_json &report, const TargetOutcome &first,
                std::span<const TargetOutcome> others);

/// A traced run of a plan.
struct TracedRun {
    std::string title;
    const std::vector<PlanStep> &steps;
    const std::vector<TraceSlice> &slices;
};

/// Returns runs for chrome://tracing and ui.perfetto.dev, in the Trace Event Format: a process for
/// each run, with a slice for each step and thread that tells what it computed and how.
std::string traceJson(const std::vector<TracedRun> &runs);

} // namespace graphloom
