// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Maps nodes and tensors of one graph to those of another, one to one, as far as there are
/// counterparts.
struct Alignment {
    std::vector<NodeId> nodeInNow, nodeInBefore;       // by node id of the other; invalid: none
    std::vector<TensorId> tensorInNow, tensorInBefore; // by tensor id of the other

    NodeId now(NodeId before) const { return nodeInNow[before.index]; }
    NodeId before(NodeId now) const { return nodeInBefore[now.index]; }
};

/// Holds what else is known of where nodes come from: numbers that stand for their origins, by node
/// id. Nodes of both graphs that share one do the work of the same node of a model. Empty: unknown.
struct AlignmentHints {
    std::vector<std::vector<std::uint64_t>> before, now;
    /// Tells that both graphs were made of one model by edits: what has kept its id is the same.
    bool sameIds = false;
    std::stop_token stop = {};
};

/// Aligns two graphs. Anchors come first: nodes with the same origins, then nodes that compute the
/// same from the same inputs and weights, or are used alike. Further pairs are found by names, as
/// far as the anchors agree about them, by neighbourhoods (Weisfeiler-Lehman labels, in which
/// anchors count as themselves), and last by neighbours of aligned nodes. Deterministic; takes
/// about as long as a few passes over both graphs. If stopped, returns what it has.
Alignment align(const Graph &before, const Graph &now, const AlignmentHints &hints = {});

} // namespace graphloom
