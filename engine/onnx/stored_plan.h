// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/partition.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Key of the model metadata that holds the plan of an exported model.
inline constexpr std::string_view storedPlanKey = "graphloom.plan";

/// The partition as JSON: its schema number, method, threshold, and for each subgraph its name,
/// weight and the names of its nodes. `nodeNames` are by node id.
std::string storePartition(const Partition &partition,
                           const std::vector<std::string> &subgraphNames,
                           const std::vector<std::string> &nodeNames);

/// The partition of a graph that was read back, whose nodes have the names that were stored;
/// stored nodes that the graph no longer has are left out. Fails (Model) with the reason when the
/// text is no such JSON or does not fit the graph.
Result<Partition> restorePartition(std::string_view text, const Graph &graph);

} // namespace graphloom
