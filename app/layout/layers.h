// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/adjacency.h"
#include "app/layout/ranking.h"
#include "engine/base/typed_index.h"

#include <span>
#include <stop_token>

namespace graphloom::layout {

/// Counts the vertices of a layered drawing: its nodes first, then the pieces of chains.
using VertexIndex = TypedIndex<struct VertexTag>;
/// Counts the edges of a layered drawing.
using LineIndex = TypedIndex<struct LineTag>;
/// Counts the segments of a layered drawing.
using SegmentIndex = TypedIndex<struct SegmentTag>;
/// Counts the layers of a layered drawing from the top.
using RankIndex = TypedIndex<struct RankTag>;

/// A node of a layered drawing, with space on both sides of its axis. Edges may start and end
/// beside the axis.
struct LayeredNode {
    double left = 0, right = 0, height = 0;
    Pin pin = Pin::Free;
    /// Tells whether lines to the node run straight towards its axis instead of their ports.
    /// Without this, chains to a box whose ports are far apart would drift sideways.
    bool centred = false;
};
struct LayeredEdge {
    VertexIndex source{0}, target{0};
    double sourcePort = 0, targetPort = 0; // offsets from the nodes' axes
};
struct LayeredInput {
    IndexedVector<VertexIndex, LayeredNode> nodes;
    IndexedVector<LineIndex, LayeredEdge> edges;
};

/// Cuts a graph into layers. An edge over several ranks becomes a chain of additional vertices.
/// Edges that leave the same port share one chain as far as the longest of them goes: a mask that
/// feeds every layer is one line with branches, not hundreds of lines.
class Layers {
public:
    Layers(const LayeredInput &input, double chainWidth);

    struct Vertex {
        RankIndex rank{0};
        double left = 0, right = 0;
        bool chain = false; // part of a chain, not a node
    };
    struct Segment { // from one layer to the next
        VertexIndex upper{0}, lower{0};
        double upperPort = 0, lowerPort = 0;
    };

    /// Returns the vertices, the nodes first.
    const IndexedVector<VertexIndex, Vertex> &vertices() const { return m_vertices; }
    const IndexedVector<SegmentIndex, Segment> &segments() const { return m_segments; }
    IndexRange<RankIndex> ranks() const { return m_layers.indices(); }
    const std::vector<VertexIndex> &layer(RankIndex rank) const { return m_layers[rank]; }
    /// Returns the place of a vertex in its layer, from 0.
    std::uint32_t position(VertexIndex vertex) const { return m_position[vertex]; }
    /// Returns the segments below or above a vertex.
    std::span<const SegmentIndex> below(VertexIndex vertex) const { return m_below.of(vertex); }
    std::span<const SegmentIndex> above(VertexIndex vertex) const { return m_above.of(vertex); }
    /// Returns the vertices of an edge, from its upper end to its lower end. isTurned() tells
    /// whether the edge was reversed to break a cycle.
    const std::vector<VertexIndex> &path(LineIndex edge) const { return m_paths[edge]; }
    bool isTurned(LineIndex edge) const { return m_turned[edge]; }

    /// Orders every layer so that few segments cross. Returns false when stopped.
    bool reduceCrossings(int sweeps, std::stop_token stop);
    std::uint64_t crossings() const;

private:
    void initialOrder();
    void sweep(bool down, bool preferRight);
    bool exchangeNeighbours(RankIndex rank);
    std::uint64_t crossingsBelow(RankIndex rank) const;
    void setLayer(RankIndex rank, std::vector<VertexIndex> order);

    IndexedVector<VertexIndex, Vertex> m_vertices;
    IndexedVector<SegmentIndex, Segment> m_segments;
    IndexedVector<RankIndex, std::vector<VertexIndex>> m_layers;
    IndexedVector<LineIndex, std::vector<VertexIndex>> m_paths;
    IndexedVector<VertexIndex, std::uint32_t> m_position; // in its layer
    IndexedVector<LineIndex, bool> m_turned;
    IndexedAdjacency<VertexIndex, SegmentIndex> m_below, m_above;
};

} // namespace graphloom::layout
