// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"

#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// Key of node metadata in exported models: the names of the nodes of the model as it was opened
/// that a node comes from, one to a line, where they are not the node itself.
inline constexpr std::string_view originsKey = "graphloom.origins";

/// Which nodes of a plan's graph do the work of which nodes of the model as opened (Node::origins),
/// and back: many to many, since rewriting merges and splits calls, and passes run parts of them or
/// run them again.
struct OriginMap {
    enum class Fate {
        Kept,    // a node that is it alone does its work, by the same operator
        Became,  // other nodes do its work
        Folded,  // its value is known before the model runs
        Unused,  // nothing that the model gives depends on it
        Removed, // a pass has made it needless
    };
    struct Original {
        Fate fate = Fate::Kept;
        std::vector<NodeId> nodes; // of the plan's graph, in its order
        std::string reason;        // in words: how it became them, or why there are none
    };
    /// By node id of plan.model->graph.
    std::vector<Original> fates;
    /// By node id of plan.graph: nodes of plan.model->graph, in its order.
    std::vector<std::vector<NodeId>> originals;
};
std::string_view nameOf(OriginMap::Fate fate);

OriginMap originMapOf(const Plan &plan);

/// The names of the nodes that a node of the plan's graph comes from. Those of the model itself may
/// be of an export, whose metadata tell of nodes of an earlier one.
std::vector<std::string> originNames(const Plan &plan, NodeId id);

} // namespace graphloom
