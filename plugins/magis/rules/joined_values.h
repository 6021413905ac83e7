// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "plugins/magis/rules/joint.h"

#include <optional>
#include <vector>

/// Values that are taken apart or put together, as GraphChange writes it and exporters do.
namespace graphloom::magis {

struct JoinedValues {
    TensorId whole;
    std::vector<TensorId> parts;
    Joint joint;
    std::vector<NodeId> nodes; // between the two
};

/// What the node takes apart, with nodes behind it that take leading dimensions off.
std::optional<JoinedValues> partsOf(const Graph &graph, NodeId node);
/// What the node puts together, with nodes before it that add leading dimensions.
std::optional<JoinedValues> joinedBy(const Graph &graph, NodeId node);

/// What the parts are parts of, all of them in this order and joined so; invalid if there is none.
TensorId wholeOf(const Graph &graph, std::span<const TensorId> parts, const Joint &joint);
/// The values in the order in which the graph has them joined, or takes them apart; empty if it
/// does neither.
std::vector<TensorId> orderOf(const Graph &graph, std::span<const TensorId> values,
                              const Joint &joint);

} // namespace graphloom::magis
