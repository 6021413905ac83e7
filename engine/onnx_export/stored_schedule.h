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

/// A schedule as JSON with a schema number, in the form that docs/memory-metadata.md describes, for
/// other tools as well. Nodes and tensors have the names, by id, that the file has for them.
std::string storeSchedule(const MemorySchedule &schedule, const Graph &graph,
                          const std::vector<std::string> &nodeNames,
                          const std::vector<std::string> &tensorNames);

/// The schedule of a graph that was read back, whose names are those that were stored. Fails
/// (Model) with the reason when the text is no such JSON, or when the graph cannot be run so
/// (checkSchedule()).
Result<MemorySchedule> readSchedule(std::string_view text, const Graph &graph);

} // namespace graphloom
