// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <map>

namespace graphloom {

/// Holds some nodes of a graph, with the tensors that they read and write, in space proportional to
/// their number. Ids are those of the graph.
struct GraphPart {
    std::map<NodeId, std::shared_ptr<const Node>> nodes;
    std::map<TensorId, std::shared_ptr<const Tensor>> tensors;
    std::vector<TensorId> inputs, outputs; // those of the graph that are among the tensors

    bool contains(NodeId id) const { return nodes.contains(id); }
    /// Tells whether nothing is null, and all tensors are there that nodes and lists refer to.
    bool isComplete() const;
};

/// Returns a part of a graph, which must have the nodes.
GraphPart partOf(const Graph &graph, std::span<const NodeId> nodes);

/// Holds a graph made of a part.
struct PartGraph {
    Graph graph;
    std::map<NodeId, NodeId> nodes; // of `graph`, by those of the part
};
/// Makes a graph of a part, which must be complete. Another node, without inputs, writes what nodes
/// outside of the part write. Fails (Model) if the part is none of a valid graph.
Result<PartGraph> graphOf(const GraphPart &part);

} // namespace graphloom
