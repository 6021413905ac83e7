// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"
#include "engine/tuning/plan_tuner.h"

namespace graphloom {

/// Returns the options of a tuner that do not depend on where times come from.
PlanTunerOptions tunerOptionsOf(const ScheduleTarget &target, const TuneOptions &options,
                                Provenance provenance);

/// Implements PlanTunerOptions::wholeRuns with a target: builds plans and runs them in turns, on
/// random inputs.
Result<std::vector<WholeTime>> runInTurns(std::span<const Plan> plans, const Target &target,
                                          const TuneOptions &options, double seconds);

/// Implements Target::tune() with times of the analytic model of the plan's device: nothing is
/// compiled or run. Schedules are for `target`, or, if the plan's device is only described, for the
/// vectors and units of that. `name` is that of the target.
Result<Plan> tuneByModel(const Plan &plan, const std::string &name, const ScheduleTarget &target,
                         const TuneOptions &options);

} // namespace graphloom
