// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/memory_schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Key of the model metadata that holds the memory schedule of an exported model.
inline constexpr std::string_view storedScheduleKey = "graphloom.memory";

/// Returns a schedule as JSON with a schema number, in the format that docs/memory-metadata.md
/// describes, which other tools can read. `nodeNames` and `tensorNames` are the names in the file,
/// by id.
std::string storeSchedule(const MemorySchedule &schedule, const Graph &graph,
                          const std::vector<std::string> &nodeNames,
                          const std::vector<std::string> &tensorNames);

/// Returns the schedule of a graph that was read back, whose names are those that were stored.
/// Fails (Model) with the reason if the text is no such JSON, or if the graph cannot be run with
/// this schedule (checkSchedule()).
Result<MemorySchedule> readSchedule(std::string_view text, const Graph &graph);

} // namespace graphloom
