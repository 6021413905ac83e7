// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/derive/analysis.h"
#include "plugins/ago/staged_graph.h"

#include <span>
#include <stop_token>
#include <vector>

namespace graphloom::ago {

/// The product of AGO eq. (1): the sum over stages of prod(log2(extent)), over the loops that run
/// more than once. Symbolic extents count as `symbolicExtent`; opaque calls have no loops: 0.
double loopProduct(const Description &description, double symbolicExtent);
/// AGO eq. (1), the weight of an operator: slope * product + bias.
constexpr double tuningWeight(double loopProduct, double slope, double bias)
{
    return slope * loopProduct + bias;
}

/// What partitioning needs to know of one node.
struct NodeTraits {
    double loopProduct = 0;
    OperatorClass operatorClass = OperatorClass::Opaque;
    bool known = false; // in the operator table
};

/// The traits of every node, by its position in graph.order(). A loop extent that the model leaves
/// symbolic counts as `symbolicExtent`. Fails (Model) when a node contradicts its operator's
/// definition; stoppedError() when stopped.
Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         double symbolicExtent, const std::stop_token &stop = {});

/// The graph's nodes by position, with the weights of eq. (1).
WeightedDag weightedDagOf(const Graph &graph, std::span<const NodeTraits> traits, double slope,
                          double bias);

/// The same graph with nodes of one unit as one node: of the number that names the unit, by which
/// `units` gives them; numbers that name none have no weight and no edge. The quotient is acyclic.
WeightedDag contractedDag(const WeightedDag &dag, std::span<const std::uint32_t> units);

/// For clustering around operators that nobody knows how to run or tune, and around what is
/// complete (by position): each weighs so much that it stays alone.
WeightedDag withBarriers(WeightedDag dag, std::span<const NodeTraits> traits,
                         const std::vector<bool> &complete);

} // namespace graphloom::ago
