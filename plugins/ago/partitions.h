// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/partition.h"
#include "plugins/ago/weights.h"

#include <span>
#include <string>

namespace graphloom::ago {

/// The partition in which nodes with the same name form a subgraph. `dag` and `names` are by
/// position in graph.order(), names below its number of nodes. The quotient graph must be acyclic:
/// subgraphs come in a topological order, of those that are ready the one whose first node stands
/// first goes first.
Partition partitionOf(const Graph &graph, const WeightedDag &dag,
                      std::span<const std::uint32_t> names, std::string method, double threshold);

/// The partition that AGO section VI compares with, as group numbers by position.
std::vector<std::uint32_t> relayBaseline(const Graph &graph, std::span<const NodeTraits> traits);

} // namespace graphloom::ago
