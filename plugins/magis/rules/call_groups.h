// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/rules/call_merge.h"

#include <map>
#include <vector>

/// Finds the calls of a graph that might be parts of one call.
namespace graphloom::magis {

/// Returns the calls in groups in which no call depends on another; groups of one are left out.
std::vector<std::vector<NodeId>> independentGroups(const Graph &graph, std::vector<NodeId> calls);
/// Tells whether no call depends on another.
bool areIndependent(const Graph &graph, const std::vector<NodeId> &calls);
/// Returns the calls in groups of alike calls (areAlike()), in the order given; groups of one are
/// left out.
std::vector<std::vector<NodeId>> alikeGroups(const Graph &graph, const std::vector<NodeId> &calls);

/// Returns the merge of all calls of a group or, if they do not fit together, the merges of those
/// whose operands have equal shapes.
std::vector<CallMerge> mergesOf(const Graph &graph, const Opsets &opsets,
                                const std::vector<NodeId> &calls, Merging merging, Joining joining);

/// Tells by node id which nodes are sums of products: convolutions, matrix products, and their
/// gradients. Only these become more efficient by being larger.
std::vector<bool> contractionsOf(const Graph &graph, const Opsets &opsets);

} // namespace graphloom::magis
