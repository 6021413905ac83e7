// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/typed_index.h"

#include <cstdint>
#include <span>
#include <vector>

namespace graphloom::layout {

/// Returns an index of any kind as a number that counts from 0.
constexpr std::uint32_t numberOf(std::uint32_t index)
{
    return index;
}
template <class Tag> constexpr std::uint32_t numberOf(TypedIndex<Tag> index)
{
    return std::uint32_t(index.number());
}

/// Holds, for each vertex, the indices of the edges that have it at one end, in one flat array.
template <class VertexIndex, class EdgeIndex> class IndexedAdjacency {
public:
    IndexedAdjacency() = default;

    template <class Edge>
    IndexedAdjacency(std::size_t vertices, const std::vector<Edge> &edges, VertexIndex Edge::*end)
        : m_first(vertices + 2, 0), m_edges(edges.size())
    {
        for (const Edge &edge : edges)
            ++m_first[numberOf(edge.*end) + 2];
        for (std::size_t i = 2; i < m_first.size(); ++i)
            m_first[i] += m_first[i - 1];
        for (std::size_t e = 0; e < edges.size(); ++e)
            m_edges[m_first[numberOf(edges[e].*end) + 1]++] = EdgeIndex(e);
    }

    std::span<const EdgeIndex> of(VertexIndex vertex) const
    {
        const std::uint32_t number = numberOf(vertex);
        return std::span(m_edges).subspan(m_first[number], m_first[number + 1] - m_first[number]);
    }

private:
    std::vector<std::uint32_t> m_first;
    std::vector<EdgeIndex> m_edges;
};

/// The adjacency of a graph whose nodes and edges are plain numbers.
using Adjacency = IndexedAdjacency<std::uint32_t, std::uint32_t>;

} // namespace graphloom::layout
