// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/plan/memory_schedule.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Adds the section schedule: what the plan's graph needs when it is run as planned.
void addScheduleSection(const MemorySchedule &schedule, nlohmann::ordered_json &report);

/// Adds the sections memory, fission and pareto of a report.
void addMemorySections(const MemoryPlan &plan, nlohmann::ordered_json &report);

} // namespace graphloom
