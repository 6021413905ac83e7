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

} // namespace graphloom::magis
