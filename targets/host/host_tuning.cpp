// SPDX-License-Identifier: Apache-2.0
#include "targets/host/host_tuning.h"

#include "engine/base/stop_after.h"
#include "engine/cost/host.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/deploy/plan_tuning.h"
#include "engine/interpreter/interpreter.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom::host {

namespace {

/// Builds plans and runs them in turns, on random inputs, within so many seconds.
Result<std::vector<WholeTime>> runPlans(std::span<const Plan> plans, const Target &host,
                                        const TuneOptions &options, double seconds)
{
    constexpr std::uint64_t inputSeed = 1;
    constexpr double measuredShare = 0.3; // of what is left after building; steps take as long
    const double end = options.clock() + seconds;
    const StopAfter cut(options.stop, seconds);
    std::vector<std::shared_ptr<BuiltPlan>> built;
    for (const Plan &plan : plans) {
        BuildOptions build;
        build.device = options.device;
        build.threads = options.threads;
        build.cache = options.cache;
        build.stop = cut.token();
        build.tell = options.tell;
        GL_TRY_RESULT(made, host.build(plan, build));
        GL_TRY_CONST(inputs, randomInputs(plan.graph, inputSeed));
        GL_TRY((*made)->setInputs(*inputs));
        built.push_back(*std::move(made));
    }
    MeasureOptions measure;
    measure.seconds = std::max(measuredShare * (end - options.clock()), 1e-3);
    measure.stop = cut.token();
    GL_TRY_CONST(measured, host.measure(built, measure));
    std::vector<WholeTime> times;
    for (const Measurement &of : *measured) {
        if (of.runs < 3)
            return fail(Error::Kind::Stopped, "no time for runs of the whole plan");
        times.push_back({of.whole.median * 1e-3, of.whole.min * 1e-3, of.runs});
    }
    return times;
}

} // namespace

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
        return runPlans(plans, host, options, seconds);
    };
    return tunedPlan(plan, {"host", Provenance::Host, target}, tuner);
}

std::string fingerprintOf(const InstructionSet &set, const CCompiler &compiler)
{
    return hostFacts().cpu + ", " + std::string(set.title) + ", " + vectorsText(set.lanes) + ", " +
           compiler.version;
}

} // namespace graphloom::host
