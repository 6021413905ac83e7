// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace graphloom::layout {

/// Holds, for each vertex, the indices of the edges that have it at one end, in one flat array.
class Adjacency {
public:
    Adjacency() = default;

    template <class Edge>
    Adjacency(std::size_t vertices, const std::vector<Edge> &edges, std::uint32_t Edge::*end)
        : m_first(vertices + 2, 0), m_edges(edges.size())
    {
        for (const Edge &edge : edges)
            ++m_first[edge.*end + 2];
        for (std::size_t i = 2; i < m_first.size(); ++i)
            m_first[i] += m_first[i - 1];
        for (std::uint32_t e = 0; e < edges.size(); ++e)
            m_edges[m_first[edges[e].*end + 1]++] = e;
    }

    std::span<const std::uint32_t> of(std::uint32_t vertex) const
    {
        return std::span(m_edges).subspan(m_first[vertex], m_first[vertex + 1] - m_first[vertex]);
    }

private:
    std::vector<std::uint32_t> m_first, m_edges;
};

} // namespace graphloom::layout
