// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/partition.h"

#include <span>
#include <string>

namespace graphloom::ago {

/// The partition in which nodes with the same name form a subgraph; names and weights are given
/// by position in graph.order(). The quotient graph must be acyclic: subgraphs come in a
/// topological order, of those that are ready the one whose first node stands first goes first.
Partition partitionOf(const Graph &graph, std::span<const std::uint32_t> names,
                      std::span<const double> weights, std::string method, double threshold);

} // namespace graphloom::ago
