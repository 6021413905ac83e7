// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"
#include "engine/ir/graph.h"

#include <span>
#include <vector>

namespace graphloom {

// Sets of nodes, given and returned in the graph's order.

/// Holds some nodes and the edges among them, for many questions about parts of them. A part tells
/// for each of the nodes, in their order, whether it belongs to it.
class EdgesAmong {
public:
    /// Counts the nodes that the edges are among.
    using Place = TypedIndex<struct PlaceAmongTag>;
    using Part = IndexedVector<Place, char>;

    EdgesAmong(const Graph &graph, std::span<const NodeId> nodes);

    std::size_t size() const { return m_nodes.size(); }
    /// Returns the nodes of the part that a node of it leads to (or, backwards, that lead to it),
    /// including itself.
    Part closureOf(const Part &part, Place from, bool forwards) const;
    /// Tells whether the part is connected by edges among its nodes.
    bool isConnected(const Part &part) const;
    /// Returns the nodes of the part that are connected with one of its nodes.
    Part around(const Part &part, Place from) const;
    std::vector<NodeId> nodesOf(const Part &part) const;

private:
    template <class Visit> void spread(Part &reached, Place from, const Visit &next) const;

    IndexedVector<Place, NodeId> m_nodes;
    IndexedVector<Place, std::vector<Place>> m_successors, m_predecessors;
};

/// Returns the nodes that `from` leads to (or, backwards, that lead to it) along edges among the
/// nodes, including itself.
std::vector<NodeId> closureOf(const Graph &graph, const std::vector<NodeId> &nodes, NodeId from,
                              bool forwards);

/// Returns the connected parts of the nodes, with respect to edges among them.
std::vector<std::vector<NodeId>> connectedParts(const Graph &graph,
                                                const std::vector<NodeId> &nodes);

} // namespace graphloom
