// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layered.h"
#include "app/layout/layout.h"

#include <map>
#include <stop_token>
#include <tuple>

namespace graphloom::layout {

/// Lays out the groups of a graph as nested boxes. Each box is laid out on its own, inner ones
/// first, with ports where edges enter at the top and leave at the bottom; in the box around it, it
/// is a node. Edges of one source share a port.
class Boxes {
public:
    /// Sets up the boxes. `extents` holds the space of each node including stub labels; `drawn`
    /// tells which edges are drawn as lines. All arguments must outlive this object.
    Boxes(const Input &input, const std::vector<LayeredNode> &extents,
          const std::vector<bool> &drawn, const Options &options);

    /// Lays out every box. Returns false when stopped.
    bool draw(std::stop_token stop);
    /// Returns what is outside of all groups. The outermost boxes are nodes of it, which come
    /// first.
    const LayeredInput &outer() const { return m_boxes.back().inside; }
    /// Fills the nodes, groups, routes and bounds of a layout from a drawing of outer().
    void place(const Layered &outer, Layout &layout);

private:
    /// Counts the boxes: one of each group, then that of the whole graph.
    using BoxIndex = TypedIndex<struct BoxTag>;
    using Ports = std::map<std::uint32_t, VertexIndex>; // by source node of the edge
    /// The ends of an edge within a box. An end that is an inner box is attached to its port for
    /// the node `from` that the edge starts at.
    struct Ends {
        BoxIndex sourceBox, targetBox; // none: the end is a node or a port
        std::uint32_t from = none;
    };
    struct Box {
        LayeredInput inside; // boxes, then nodes, then ports
        IndexedVector<LineIndex, Ends> ends;
        Ports inPorts, outPorts;
        /// By ends and source node.
        std::map<std::tuple<VertexIndex, VertexIndex, std::uint32_t>, LineIndex> edges;
        Layered drawing;
        Rect size;        // top left corner at the origin
        double inset = 0; // distance from its left edge to the drawing
        Point content;    // top left corner of the drawing in the whole layout
    };
    struct Piece { // part of an edge that lies in one box
        BoxIndex box;
        LineIndex edge;
    };
    IndexRange<BoxIndex> groupBoxes() const { return {BoxIndex(0), root()}; }
    BoxIndex root() const { return m_boxes.lastIndex(); }
    BoxIndex boxOf(std::uint32_t node) const;
    BoxIndex parentOf(BoxIndex box) const;
    VertexIndex port(Box &box, Ports &ports, std::uint32_t from, Pin pin);
    LineIndex connect(BoxIndex box, VertexIndex source, VertexIndex target, const Ends &ends);
    void addEdge(std::uint32_t edge);
    bool drawBox(BoxIndex box, std::stop_token stop);
    void placePorts(Box &box);
    double portOffset(BoxIndex box, VertexIndex vertex) const;
    Route routeOf(std::uint32_t edge) const;

    const Input &m_input;
    const Options &m_options;
    IndexedVector<BoxIndex, Box> m_boxes;
    IndexedVector<BoxIndex, std::uint32_t> m_depth; // 0: the whole graph
    std::vector<VertexIndex> m_nodes;               // by node: its vertex in its box
    IndexedVector<BoxIndex, VertexIndex> m_vertex;  // in the box around it, of all but the root
    std::vector<std::vector<Piece>> m_pieces;       // by edge
};

} // namespace graphloom::layout
