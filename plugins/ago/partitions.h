// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/partition.h"
#include "plugins/ago/weights.h"

#include <span>
#include <string>

namespace graphloom::ago {

/// Returns the partition in which nodes with the same name form a subgraph. `dag` and `names` are
/// indexed by position in graph.order(); names are below its number of nodes. The quotient graph
/// must be acyclic. Subgraphs come in a topological order; of those that are ready, the one whose
/// first node comes first goes first.
Partition partitionOf(const Graph &graph, const WeightedDag &dag,
                      std::span<const std::uint32_t> names, std::string method, double threshold);

/// Returns the partition that AGO section VI compares with (Relay's), as group numbers by position.
std::vector<std::uint32_t> relayBaseline(const Graph &graph, std::span<const NodeTraits> traits);

} // namespace graphloom::ago
