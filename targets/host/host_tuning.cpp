// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuning.h"

#include "engine/cost/host.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom::host {

namespace {

/// As a device's fingerprint says it.
std::string vectorsOf(const InstructionSet &set)
{
    return "vectors of " + std::to_string(set.lanes) + ", ";
}

} // namespace

Result<Plan> tuneKernels(const Plan &plan, const InstructionSet &set, const ScheduleTarget &target,
                         const TuneOptions &options, const CCompiler &compiler, KernelCache &cache)
{
    PlanTunerOptions tuner;
    tuner.compiler = &compiler;
    tuner.cache = &cache;
    tuner.threads = unsigned(target.threads);
    tuner.seconds = options.seconds;
    tuner.trials = options.trials;
    tuner.stop = options.stop;
    tuner.clock = options.clock;
    tuner.database = options.database.get();
    tuner.device = fingerprintOf(set, compiler);
    tuner.progress = options.progress;
    tuner.prepared = options.prepared;
    tuner.measured = [&](const KernelPlace &place, const TunedCandidate &candidate) {
        const bool measured = candidate.problem.empty() && candidate.samples > 0;
        if (!measured && (candidate.problem.empty() || options.stop.stop_requested()))
            return; // stopped before its turn, or while it was compiled
        options.tried({place, candidate.schedule, 1e3 * candidate.least, candidate.problem,
                       candidate.byDefault, candidate.uses, Provenance::Host});
    };
    return tunedPlan(plan, {"host", Provenance::Host, target}, tuner);
}

std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler)
{
    return hostFacts().cpu + ", " + std::string(set.title) + ", " + vectorsOf(set) +
           compiler.version;
}

bool isTunedFor(const KernelPlan &kernels, const InstructionSet &set)
{
    // A plan that was made by hand names no device.
    return kernels.device.empty() || kernels.device.find(vectorsOf(set)) != std::string::npos;
}

} // namespace graphloom::host
