// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/rules/call_merge.h"

#include <map>
#include <vector>

/// Which calls of a graph might be parts of one.
namespace graphloom::magis {

/// The calls in groups, in which none depends on another one; groups of one are left out.
std::vector<std::vector<NodeId>> independentGroups(const Graph &graph, std::vector<NodeId> calls);
/// Does no call depend on another one?
bool areIndependent(const Graph &graph, const std::vector<NodeId> &calls);
/// The calls in groups that are alike, in the order given.
std::vector<std::vector<NodeId>> alikeGroups(const Graph &graph, const std::vector<NodeId> &calls);

/// Merges of all calls of a group; or, where they do not fit together, of those whose operands have
/// equal shapes.
std::vector<CallMerge> mergesOf(const Graph &graph, const Opsets &opsets,
                                const std::vector<NodeId> &calls, Merging merging, Joining joining);

/// Sums of products of a graph, by node id: convolutions, matrix products, their gradients. Only
/// those get better by being larger.
std::vector<bool> contractionsOf(const Graph &graph, const Opsets &opsets);

} // namespace graphloom::magis
