// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "plugins/magis/rules/joint.h"

#include <optional>
#include <vector>

/// Finds values that are taken apart or joined, in the form that GraphChange writes and exporters
/// write, too.
namespace graphloom::magis {

/// Describes a value and the parts that it is taken apart into, or joined from.
struct JoinedValues {
    TensorId whole;
    std::vector<TensorId> parts;
    Joint joint;
    std::vector<NodeId> nodes; // the Split or Concat, and any Squeeze or Unsqueeze nodes
};

/// Describes the values that a Split node takes apart. If it splits dimension 0, and a Squeeze of
/// each part alone removes leading dimensions of extent 1, the parts are the results of the Squeeze
/// nodes, and the whole is a stack of them. Returns nothing if the node is not a Split of at least
/// two parts or a shape is not known.
std::optional<JoinedValues> partsOf(const Graph &graph, NodeId node);
/// Describes the values that a Concat node joins. If it joins along dimension 0, and each operand
/// comes from an Unsqueeze that adds leading dimensions of extent 1, the parts are the operands of
/// the Unsqueeze nodes, and the whole is a stack of them. Returns nothing if the node is not a
/// Concat of at least two parts or a shape is not known.
std::optional<JoinedValues> joinedBy(const Graph &graph, NodeId node);

/// Returns the value that is taken apart into exactly these parts, in this order and by this joint;
/// invalid if there is none.
TensorId wholeOf(const Graph &graph, std::span<const TensorId> parts, const Joint &joint);
/// Returns the values in the order in which the graph joins them by this joint, or takes them
/// apart; empty if it does neither.
std::vector<TensorId> orderOf(const Graph &graph, std::span<const TensorId> values,
                              const Joint &joint);

} // namespace graphloom::magis
