// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace graphloom {

/// Oldest ai.onnx operator set whose operators can be brought to the form of a newer one, and the
/// newest that is known.
inline constexpr std::int64_t oldestOpset = 1, newestOpset = 22;

/// Returns the nodes that compute, in the form that their operators have in ai.onnx version `to`,
/// what an ai.onnx node of version `from` computes: the changed node itself, with the nodes needed
/// before and after it, in execution order. Its inputs and outputs are tensors of `editor`, to
/// which new tensors are added; the nodes are not. `isRead` tells whether anything uses an output
/// of the node. Graphs in its attributes are not looked at.
///
/// Fails (Model), naming the node, if the newer operator set cannot express it. Steps that need
/// types and ranks are left to finishUpgrade().
Result<std::vector<Node>> upgradeNode(GraphEditor &editor, Node node, std::int64_t from,
                                      std::int64_t to, const std::function<bool(TensorId)> &isRead);

/// Tells whether operator sets before `version` have forms of an ai.onnx operator that
/// upgradeNode() brings to the form of `version`.
bool hasOlderForms(std::string_view op, std::int64_t version);

/// Completes what upgradeNode() had to leave until types and ranks are inferred, also in nested
/// graphs; returns the same graph if nothing was left. New tensors have no type or shape yet. Where
/// a type or rank is unknown, the nodes work for any.
Result<Graph> finishUpgrade(const Graph &graph);

} // namespace graphloom
