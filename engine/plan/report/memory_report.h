// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/plan/memory_schedule.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Adds the section schedule: the memory that the plan's graph needs when it is run as planned.
void addScheduleSection(const MemorySchedule &schedule, nlohmann::ordered_json &report);

/// Adds the sections memory, fission and pareto to a report. If `schedule`, the schedule of the
/// graph that realizes the plan, is given, the peak is that of the schedule. It may be less than
/// the search assumed: the last part may be smaller, and a tensor on its way to the host and back
/// may be in memory only once.
void addMemorySections(const MemoryPlan &plan, const MemorySchedule *schedule,
                       nlohmann::ordered_json &report);

} // namespace graphloom
