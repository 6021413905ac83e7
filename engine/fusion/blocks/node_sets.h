// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <span>
#include <vector>

namespace graphloom {

// Sets of nodes, given and returned in the graph's order.

/// Some nodes and the edges among them, for many questions about parts of them. A part says of each
/// of the nodes, in their order, whether it is one of it.
class EdgesAmong {
public:
    using Part = std::vector<char>;

    EdgesAmong(const Graph &graph, std::span<const NodeId> nodes);

    std::size_t size() const { return m_nodes.size(); }
    /// Those of the part that a node of it leads to (or, backwards, that lead to it); itself
    /// included.
    Part closureOf(const Part &part, std::size_t from, bool forwards) const;
    /// Do edges among its nodes hold the part together?
    bool isConnected(const Part &part) const;
    /// The nodes of the part that are connected with one of it.
    Part around(const Part &part, std::size_t from) const;
    std::vector<NodeId> nodesOf(const Part &part) const;

private:
    template <class Visit> void spread(Part &reached, std::size_t from, const Visit &next) const;

    std::vector<NodeId> m_nodes;
    std::vector<std::vector<std::uint32_t>> m_successors, m_predecessors;
};

/// Those of the nodes that `from` leads to (or, backwards, that lead to it) along edges among them;
/// itself included.
std::vector<NodeId> closureOf(const Graph &graph, const std::vector<NodeId> &nodes, NodeId from,
                              bool forwards);

/// The parts that edges among the nodes hold together.
std::vector<std::vector<NodeId>> connectedParts(const Graph &graph,
                                                const std::vector<NodeId> &nodes);

} // namespace graphloom
