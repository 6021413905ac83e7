// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/mapping_type.h"
#include "plugins/ago/staged_graph.h"

#include <span>
#include <stop_token>
#include <vector>

namespace graphloom::ago {

/// Returns the product of AGO eq. (1): the sum over stages of prod(log2(extent)), over the loops
/// that run more than once. Symbolic extents count as `symbolicExtent`. Opaque calls have no loops,
/// so that theirs is 0.
double loopProduct(const Description &description, double symbolicExtent);
/// Returns the weight of an operator by AGO eq. (1): slope * product + bias.
constexpr double tuningWeight(double loopProduct, double slope, double bias)
{
    return slope * loopProduct + bias;
}

/// Holds the properties of one node that partitioning depends on.
struct NodeTraits {
    double loopProduct = 0;
    OperatorClass operatorClass = OperatorClass::Opaque;
    bool known = false; // in the operator table
};

/// Returns the traits of every node, by its position in graph.order(). A loop extent that the model
/// leaves symbolic counts as `symbolicExtent`. Fails (Model) if a node contradicts its operator's
/// definition; returns stoppedError() if stopped.
Result<std::vector<NodeTraits>> traitsOf(const Graph &graph, const Opsets &opsets,
                                         double symbolicExtent, const std::stop_token &stop = {});

/// Returns the graph's nodes by position, with the weights of eq. (1).
WeightedDag weightedDagOf(const Graph &graph, std::span<const NodeTraits> traits, double slope,
                          double bias);

/// Returns the graph with the nodes of each unit contracted into one. `units` gives for every node
/// the number that names its unit, which is the number of the new node; numbers that name no unit
/// get no weight and no edge. The quotient must be acyclic.
WeightedDag contractedDag(const WeightedDag &dag, std::span<const std::uint32_t> units);

/// Returns the graph with infinite weights for nodes that clustering must leave alone: operators
/// that are not in the operator table, so that nobody knows how to run or tune them, and nodes that
/// are `complete` (by position).
WeightedDag withBarriers(WeightedDag dag, std::span<const NodeTraits> traits,
                         const std::vector<bool> &complete);

} // namespace graphloom::ago
