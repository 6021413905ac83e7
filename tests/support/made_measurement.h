// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/plan_measurement.h"

namespace graphloom::test {

/// Returns a handmade measurement of a plan, beside the original: a step for each block, with a
/// slice for each, on another machine; all figures differ from their defaults.
inline PlanMeasurement madeMeasurement(std::shared_ptr<const Plan> plan)
{
    PlanMeasurement made;
    TargetOutcome &outcome = made.outcome;
    outcome.target = "host";
    outcome.device = "cpu";
    outcome.toolchain = "cc 1";
    outcome.instructionSet = "AVX2";
    outcome.buildSeconds = 1.5;
    outcome.threads = 2;
    outcome.memory = {4096, 2048, 64, 1024};
    outcome.memoryBefore = PlanMemory{8192, 4096, 64, 1024};
    outcome.filledWeights = 3;
    outcome.tuningSeconds = 9;
    outcome.tuningSetupSeconds = 2;
    outcome.besideOriginal = true;
    const auto measure = [](std::size_t blocks, std::vector<PlanStep> &steps,
                            std::vector<TraceSlice> &trace, std::optional<Measurement> &measured) {
        measured.emplace(Measurement{{4, 4.5, 5, 0.1}, {}, 50, Provenance::Host});
        for (std::uint32_t block = 0; block < blocks; ++block) {
            steps.push_back(
                {block, 1, "kernel", "", false, "y = relu(x)", "vectorize i", 2e6, 1e6});
            measured->steps.push_back({0.5, 1, 2, 0.25});
            trace.push_back({block, 1, 1e-3 * block, 5e-4, 6});
        }
    };
    measure(kernelBlocksOf(*plan).size(), outcome.steps, outcome.trace, outcome.after);
    measure(plan->original.nodeCount(), outcome.stepsBefore, outcome.traceBefore, outcome.before);
    made.sources = {{"block_0.c", "void kernel(void) {}", 0}};
    made.device.emplace();
    made.device->peakFlops = 1e11;
    made.device->bandwidth = 1e10;
    made.device->cacheBandwidth = 5e10;
    made.at = {"Abacus, 8 cores", 1'700'000'000'000};
    made.plan = std::move(plan);
    return made;
}

/// Returns two handmade trials of a tuner for a plan, one of which failed.
inline TuningTrials madeTuning(std::shared_ptr<const Plan> plan)
{
    TuningTrial first, second;
    first.schedule = "parallel i";
    first.milliseconds = 2;
    first.byDefault = true;
    first.uses = 3;
    second.schedule = "tile i 4";
    second.problem = "crashed";
    return {std::move(plan), {first, second}, {"Abacus, 8 cores", 1'700'000'000'000}};
}

} // namespace graphloom::test
