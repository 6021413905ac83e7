// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/memory_plan.h"

#include <nlohmann/json_fwd.hpp>

namespace graphloom {

/// Adds the sections memory, fission and pareto of a report.
void addMemorySections(const MemoryPlan &plan, nlohmann::ordered_json &report);

} // namespace graphloom
