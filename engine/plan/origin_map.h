// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// The key of node metadata in exported models that lists, one to a line, the names of the nodes of
/// the opened model from which a node derives, if they are not the node itself.
inline constexpr std::string_view originsKey = "graphloom.origins";

/// Maps nodes of a plan's graph to the nodes of the opened model whose work they do
/// (Node::origins), and back. The relation is many-to-many, since rewriting merges and splits
/// calls, and passes run parts of calls or run them again.
struct OriginMap {
    enum class Fate {
        Kept,    // a node with no other origin does its work, by the same operator
        Became,  // other nodes do its work
        Folded,  // its value is computed before the model runs
        Unused,  // no output of the model depends on it
        Removed, // a pass has made it unnecessary
    };
    struct Original {
        Fate fate = Fate::Kept;
        std::vector<NodeId> nodes; // nodes of the plan's graph, in its order
        std::string reason;        // in words: how these nodes came about, or why there are none
    };
    /// The fates of the original nodes, by node id of plan.model->graph.
    std::vector<Original> fates;
    /// The original nodes, by node id of plan.graph: nodes of plan.model->graph, in its order.
    std::vector<std::vector<NodeId>> originals;
};
std::string_view nameOf(OriginMap::Fate fate);

OriginMap originMapOf(const Plan &plan);

/// Returns the names of the nodes from which a node of the plan's graph derives. If the opened
/// model is itself an export, its metadata name the nodes of the earlier model instead.
std::vector<std::string> originNames(const Plan &plan, NodeId id);

} // namespace graphloom
