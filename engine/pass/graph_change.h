// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Whether both are one graph, not only equal: the same nodes under the same ids, in the same
/// order, which read and write the same tensors. What names nodes and tensors of one fits the
/// other.
bool isSameGraph(const Graph &one, const Graph &other);

/// What speaks of the plan's graph, in words: "partition", "fusion blocks".
std::vector<std::string_view> partsOfGraph(const Plan &plan);

/// Where a plan has another graph than `before`, takes out what it still shares with `before` and
/// what speaks of that graph: partitions, fusion blocks, layouts, kernels, the memory plan. Returns
/// what went, in words. What was made anew stays, and is its maker's to be right.
std::vector<std::string_view> dropOutdated(Plan &plan, const Plan &before);

/// "partition, fusion blocks".
std::string listed(const std::vector<std::string_view> &parts);

/// What a run of the pass may take away from the plan, as a sentence for who is about to wait for
/// it; empty: nothing. A pass that has rewrite rules may change the graph.
std::string lossBy(const Pass &pass, const Plan &plan);

} // namespace graphloom
