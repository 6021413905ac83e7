// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/plan_tuning.h"

#include "engine/base/stop_after.h"
#include "engine/deploy/kernel_choices.h"
#include "engine/interpreter/interpreter.h"
#include "engine/tuning/phase_model.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom {

PlanTunerOptions tunerOptionsOf(const ScheduleTarget &target, const TuneOptions &options,
                                Provenance provenance)
{
    PlanTunerOptions tuner;
    tuner.threads = unsigned(target.threads);
    tuner.provenance = provenance;
    tuner.seconds = options.seconds;
    tuner.trials = options.trials;
    tuner.stop = options.stop;
    tuner.clock = options.clock;
    tuner.progress = options.progress;
    tuner.prepared = options.prepared;
    tuner.measured = [&options, provenance](const KernelPlace &place,
                                            const TunedCandidate &candidate) {
        const bool measured = candidate.problem.empty() && candidate.samples > 0;
        if (!measured && (candidate.problem.empty() || options.stop.stop_requested()))
            return; // stopped before its turn, or while it was compiled
        options.tried({place, candidate.schedule, 1e3 * candidate.least, candidate.problem,
                       candidate.byDefault, candidate.uses, provenance});
    };
    return tuner;
}

Result<std::vector<WholeTime>> runInTurns(std::span<const Plan> plans, const Target &target,
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
        GL_TRY_RESULT(made, target.build(plan, build));
        GL_TRY(target.deploy(**made, cut.token()));
        GL_TRY_CONST(inputs, randomInputs(plan.graph, inputSeed));
        GL_TRY((*made)->setInputs(*inputs));
        built.push_back(*std::move(made));
    }
    MeasureOptions measure;
    measure.seconds = std::max(measuredShare * (end - options.clock()), 1e-3);
    measure.stop = cut.token();
    GL_TRY_CONST(measured, target.measure(built, measure));
    std::vector<WholeTime> times;
    for (const Measurement &of : *measured) {
        if (of.runs < 3)
            return fail(Error::Kind::Stopped, "no time for runs of the whole plan");
        times.push_back({of.whole.median * 1e-3, of.whole.min * 1e-3, of.runs});
    }
    return times;
}

Result<Plan> tuneByModel(const Plan &plan, const std::string &name, const ScheduleTarget &target,
                         const TuneOptions &options)
{
    const std::shared_ptr<const Device> device = plannedDevice(plan);
    const ScheduleTarget schedules = device->target.empty() ? scheduleTargetOf(*device) : target;
    PlanTunerOptions tuner = tunerOptionsOf(schedules, options, Provenance::Modelled);
    tuner.times = modelledPhaseTimes(*device, schedules);
    tuner.device =
        "model of " + device->title + ", " + vectorsText(schedules.lanes) + ", no compiler";
    return tunedPlan(plan, {name, Provenance::Modelled, schedules}, tuner);
}

} // namespace graphloom
