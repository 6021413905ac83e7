// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/adjacency.h"
#include "app/layout/ranking.h"

#include <span>
#include <stop_token>

namespace graphloom::layout {

/// A node of a layered drawing, with space on both sides of its axis. Edges may start and end
/// beside the axis.
struct LayeredNode {
    double left = 0, right = 0, height = 0;
    Pin pin = Pin::Free;
    /// Whether lines to the node are kept straight towards its axis, not towards their ports.
    /// Without this, chains to a box whose ports are far apart would drift sideways.
    bool centred = false;
};
struct LayeredEdge {
    std::uint32_t source = 0, target = 0;
    double sourcePort = 0, targetPort = 0; // offsets from the nodes' axes
};
struct LayeredInput {
    std::vector<LayeredNode> nodes;
    std::vector<LayeredEdge> edges;
};

/// Cuts a graph into layers. An edge over several ranks becomes a chain of additional vertices.
/// Edges that leave the same port share one chain as far as the longest of them goes: a mask that
/// feeds every layer is one line with branches, not hundreds of lines.
class Layers {
public:
    Layers(const LayeredInput &input, double chainWidth);

    struct Vertex {
        std::uint32_t rank = 0;
        double left = 0, right = 0;
        bool chain = false; // part of a chain, not a node
    };
    struct Segment { // from one layer to the next
        std::uint32_t upper = 0, lower = 0;
        double upperPort = 0, lowerPort = 0;
    };

    /// Returns the vertices, the nodes first.
    const std::vector<Vertex> &vertices() const { return m_vertices; }
    const std::vector<Segment> &segments() const { return m_segments; }
    std::size_t layerCount() const { return m_layers.size(); }
    const std::vector<std::uint32_t> &layer(std::size_t rank) const { return m_layers[rank]; }
    std::uint32_t position(std::uint32_t vertex) const { return m_position[vertex]; }
    /// Returns the segments below or above a vertex.
    std::span<const std::uint32_t> below(std::uint32_t vertex) const { return m_below.of(vertex); }
    std::span<const std::uint32_t> above(std::uint32_t vertex) const { return m_above.of(vertex); }
    /// Returns the vertices of an edge, from its upper end to its lower end. isTurned() tells
    /// whether the edge was reversed to break a cycle.
    const std::vector<std::uint32_t> &path(std::uint32_t edge) const { return m_paths[edge]; }
    bool isTurned(std::uint32_t edge) const { return m_turned[edge]; }

    /// Orders every layer so that few segments cross. Returns false when stopped.
    bool reduceCrossings(int sweeps, std::stop_token stop);
    std::uint64_t crossings() const;

private:
    void initialOrder();
    void sweep(bool down, bool preferRight);
    bool exchangeNeighbours(std::size_t rank);
    std::uint64_t crossingsBelow(std::size_t rank) const;
    void setLayer(std::size_t rank, std::vector<std::uint32_t> order);

    std::vector<Vertex> m_vertices;
    std::vector<Segment> m_segments;
    std::vector<std::vector<std::uint32_t>> m_layers, m_paths;
    std::vector<std::uint32_t> m_position; // of a vertex in its layer
    std::vector<bool> m_turned;
    Adjacency m_below, m_above;
};

} // namespace graphloom::layout
