// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/analysis.h"
#include "plugins/ago/staged_graph.h"

#include <span>
#include <vector>

namespace graphloom::ago {

/// What partitioning needs to know of one node.
struct NodeTraits {
    /// The product of AGO eq. (1): prod(log(extent)) over the loops that run more than once,
    /// summed over the stages. An opaque operator has no loops that anyone tunes: 0.
    double loopProduct = 0;
    OperatorClass operatorClass = OperatorClass::Opaque;
};

/// How loops are measured. The paper leaves the base of its logarithms open; it decides how
/// much deep loop nests (convolutions) weigh beside shallow ones (elementwise operators).
struct LoopMeasure {
    double logBase = 2;         // above 1
    double symbolicExtent = 64; // what an extent counts as that the model leaves symbolic
};

/// The traits of every node, by its position in graph.order(). Fails (Model) when a node
/// contradicts its operator's definition.
Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         const LoopMeasure &measure);

/// The graph's nodes by position, with the weights slope * loopProduct + bias of eq. (1).
WeightedDag weightedDagOf(const Graph &graph, std::span<const NodeTraits> traits, double slope,
                          double bias);

} // namespace graphloom::ago
