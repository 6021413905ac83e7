// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/node_sets.h"

#include <algorithm>

namespace graphloom {

EdgesAmong::EdgesAmong(const Graph &graph, std::span<const NodeId> nodes)
    : m_nodes(std::vector(nodes.begin(), nodes.end())), m_successors(nodes.size()),
      m_predecessors(nodes.size())
{
    const auto place = [&](NodeId node) { return graph.position(node); };
    for (const Place i : m_nodes.indices())
        for (const NodeId next : graph.successors(m_nodes[i])) {
            const auto found = std::ranges::lower_bound(nodes, place(next), {}, place);
            if (found == nodes.end() || *found != next)
                continue;
            const Place at(found - nodes.begin());
            m_successors[i].push_back(at);
            m_predecessors[at].push_back(i);
        }
}

/// Extends `reached` by a node and all nodes that `next` leads to from there.
template <class Visit> void EdgesAmong::spread(Part &reached, Place from, const Visit &next) const
{
    std::vector<Place> open{from};
    reached[from] = 1;
    while (!open.empty()) {
        const Place at = open.back();
        open.pop_back();
        next(at, [&](const std::vector<Place> &neighbours, const Part &part) {
            for (const Place other : neighbours)
                if (part[other] && !reached[other]) {
                    reached[other] = 1;
                    open.push_back(other);
                }
        });
    }
}

EdgesAmong::Part EdgesAmong::closureOf(const Part &part, Place from, bool forwards) const
{
    Part reached(size(), 0);
    spread(reached, from, [&](Place at, const auto &go) {
        go(forwards ? m_successors[at] : m_predecessors[at], part);
    });
    return reached;
}

EdgesAmong::Part EdgesAmong::around(const Part &part, Place from) const
{
    Part reached(size(), 0);
    spread(reached, from, [&](Place at, const auto &go) {
        go(m_successors[at], part);
        go(m_predecessors[at], part);
    });
    return reached;
}

bool EdgesAmong::isConnected(const Part &part) const
{
    const auto first = std::ranges::find(part, char{1});
    return first == part.end() || around(part, Place(first - part.begin())) == part;
}

std::vector<NodeId> EdgesAmong::nodesOf(const Part &part) const
{
    std::vector<NodeId> nodes;
    for (const Place i : part.indices())
        if (part[i])
            nodes.push_back(m_nodes[i]);
    return nodes;
}

std::vector<NodeId> closureOf(const Graph &graph, const std::vector<NodeId> &nodes, NodeId from,
                              bool forwards)
{
    const EdgesAmong edges(graph, nodes);
    const EdgesAmong::Place at(std::ranges::find(nodes, from) - nodes.begin());
    return edges.nodesOf(edges.closureOf(EdgesAmong::Part(nodes.size(), 1), at, forwards));
}

std::vector<std::vector<NodeId>> connectedParts(const Graph &graph,
                                                const std::vector<NodeId> &nodes)
{
    const EdgesAmong edges(graph, nodes);
    EdgesAmong::Part left(nodes.size(), 1);
    std::vector<std::vector<NodeId>> parts;
    for (const EdgesAmong::Place i : left.indices()) {
        if (!left[i])
            continue;
        const EdgesAmong::Part part = edges.around(left, i);
        parts.push_back(edges.nodesOf(part));
        for (const EdgesAmong::Place j : part.indices())
            left[j] = char(left[j] && !part[j]);
    }
    return parts;
}

} // namespace graphloom
