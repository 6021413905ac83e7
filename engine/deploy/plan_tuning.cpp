// SPDX-License-Identifier: Apache-2.0
#include "engine/deploy/plan_tuning.h"

#include "engine/deploy/kernel_choices.h"
#include "engine/tuning/phase_model.h"
#include "engine/tuning/reformer/tuned_plan.h"

namespace graphloom {

PlanTunerOptions tunerOptionsOf(const ScheduleTarget &target, const TuneOptions &options,
                                Provenance provenance)
{
    PlanTunerOptions tuner;
    tuner.threads = unsigned(target.threads);
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

Result<Plan> tuneByModel(const Plan &plan, const std::string &name, const ScheduleTarget &target,
                         const TuneOptions &options)
{
    const std::shared_ptr<const Device> device = plannedDevice(plan);
    const ScheduleTarget schedules = device->target.empty() ? scheduleTargetOf(*device) : target;
    PlanTunerOptions tuner = tunerOptionsOf(schedules, options, Provenance::Modelled);
    tuner.model = modelledPhaseTimes(*device, schedules);
    tuner.device =
        "model of " + device->title + ", " + vectorsText(schedules.lanes) + ", no compiler";
    return tunedPlan(plan, {name, Provenance::Modelled, schedules}, tuner);
}

} // namespace graphloom
