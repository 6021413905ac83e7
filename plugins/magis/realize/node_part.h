// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "plugins/magis/realize/part_writer.h"

#include <string>
#include <unordered_map>

namespace graphloom::magis {

/// Describes one cut of a node by a fission around it.
struct NodeCut {
    Split split;
    Parts::Interval steps;
    int depth; // of the fission; 1 for the outermost one
};

/// Holds a node that computes a part of a node of a graph, and the pieces of whole tensors that it
/// reads and writes.
struct NodePart {
    Node node;
    std::vector<Box> inputs, outputs; // empty where omitted
    /// A list of extents or pads that is the part's own, by input.
    std::vector<std::optional<Tensor>> constants;
    std::vector<int> depths; // depth of the innermost fission that cuts it, by input; 0: none
};

/// Returns the node after applying the cuts one after the other. Fails (Model) as callPart() does.
Result<NodePart> nodePart(const Graph &graph, NodeId id, std::span<const NodeCut> cuts,
                          const Opsets &opsets);

/// Computes nodePart() for many nodes of one graph. Since models repeat their blocks, parts that
/// are alike are computed once.
class NodeParts {
public:
    NodeParts(const Graph &graph, const Opsets &opsets) : m_graph(graph), m_opsets(opsets) {}

    Result<NodePart> of(NodeId id, std::span<const NodeCut> cuts);

private:
    const Graph &m_graph;
    const Opsets &m_opsets;
    std::unordered_map<std::string, NodePart> m_known; // by call and cuts
};

} // namespace graphloom::magis
