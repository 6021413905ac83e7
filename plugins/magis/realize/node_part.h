// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/derive/call_part.h"
#include "plugins/magis/realize/part_writer.h"

#include <string>
#include <unordered_map>

namespace graphloom::magis {

/// One cut of a node: by a fission around it.
struct NodeCut {
    Split split;
    Parts::Interval steps;
    int depth; // of the fission; the outermost one has 1
};

/// The node that does a part of a node of a graph, and what it reads and writes of whole tensors.
struct NodePart {
    Node node;
    std::vector<Box> inputs, outputs; // empty where omitted
    /// By input: a list of extents or pads that is the part's own.
    std::vector<std::optional<Tensor>> constants;
    std::vector<int> depths; // by input: of the innermost fission that cuts it; 0: none
};

/// Applies the cuts one after the other. Fails (Model) as callPart() does.
Result<NodePart> nodePart(const Graph &graph, NodeId id, std::span<const NodeCut> cuts,
                          const Opsets &opsets);

/// The same for many nodes of one graph. Models repeat their blocks: parts that are alike are
/// looked for once.
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
