// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/plan/memory_schedule.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Adds the section schedule: what the plan's graph needs when it is run as planned.
void addScheduleSection(const MemorySchedule &schedule, nlohmann::ordered_json &report);

/// Adds the sections memory, fission and pareto of a report. With the schedule of the graph that
/// was made of the plan, the peak is what that needs, which may be less than the search took it
/// for: the last part may be smaller, and what is on its way to the host and back may be there once
/// only.
void addMemorySections(const MemoryPlan &plan, const MemorySchedule *schedule,
                       nlohmann::ordered_json &report);

} // namespace graphloom
