// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuning.h"

#include "engine/cost/host.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom::host {

Result<Plan> tuneKernels(const Plan &plan, const InstructionSet &set, const ScheduleTarget &target,
                         const TuneOptions &options, const CCompiler &compiler, KernelCache &cache,
                         const Target &host)
{
    PlanTunerOptions tuner = tunerOptionsOf(target, options, Provenance::Host);
    tuner.compiler = &compiler;
    tuner.cache = &cache;
    tuner.compilers = unsigned(hostFacts().cores);
    tuner.database = options.database.get();
    tuner.device = fingerprintOf(set, compiler);
    tuner.wholeRuns = [&](std::span<const Plan> plans, double seconds) {
        return runInTurns(plans, host, options, seconds);
    };
    return tunedPlan(plan, {"host", Provenance::Host, target}, tuner);
}

std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler)
{
    return hostFacts().cpu + ", " + std::string(set.title) + ", " + vectorsText(set.lanes) + ", " +
           compiler.version;
}

} // namespace graphloom::host
