// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Tells whether both are the same graph, not only equal ones: the same nodes under the same ids,
/// in the same order, reading and writing the same tensors. References to nodes and tensors of one
/// are then valid for the other.
bool isSameGraph(const Graph &one, const Graph &other);

/// Returns the parts of the plan that refer to its graph, in words: "partition", "fusion blocks".
std::vector<std::string_view> partsOfGraph(const Plan &plan);

/// If the plan has another graph than `before`, removes the parts that it still shares with
/// `before` and that refer to the graph of `before`: partitions, fusion blocks, layouts, kernels,
/// the memory plan. Returns the removed parts, in words. New parts stay; their maker is responsible
/// for them.
std::vector<std::string_view> dropOutdated(Plan &plan, const Plan &before);

/// Joins the parts to a list: "partition, fusion blocks".
std::string listed(const std::vector<std::string_view> &parts);

/// Returns a text, for users about to wait for the pass, on the parts of the plan that its run will
/// replace, and those that it may remove; empty if there are none. A pass that has rewrite rules may
/// change the graph.
std::string lossBy(const Pass &pass, const Settings &settings, const Plan &plan);

} // namespace graphloom
