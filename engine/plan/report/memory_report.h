// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"
#include "engine/plan/memory_schedule.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Adds the section schedule: the memory that the plan's graph needs when it is run as planned.
void addScheduleSection(const MemorySchedule &schedule, nlohmann::ordered_json &report);

/// Adds the sections memory, fission and pareto to a report. `peak` is that of peakBytesOf().
void addMemorySections(const MemoryPlan &plan, std::int64_t peak, nlohmann::ordered_json &report);

} // namespace graphloom
