// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layered.h"
#include "app/layout/layout.h"

#include <array>
#include <map>
#include <stop_token>

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
    /// The ends of an edge within a box. An end that is an inner box is attached to its port for
    /// the node `from` that the edge starts at.
    struct Ends {
        std::uint32_t sourceBox = none, targetBox = none, from = none;
    };
    struct Box {
        LayeredInput inside;                                      // boxes, then nodes, then ports
        std::vector<Ends> ends;                                   // by edge
        std::map<std::uint32_t, std::uint32_t> inPorts, outPorts; // by source node of the edge
        std::map<std::array<std::uint32_t, 3>, std::uint32_t> edges; // by ends and source node
        Layered drawing;
        Rect size;        // top left corner at the origin
        double inset = 0; // distance from its left edge to the drawing
        Point content;    // top left corner of the drawing in the whole layout
    };
    struct Piece { // part of an edge that lies in one box
        std::uint32_t box, edge;
    };
    std::uint32_t root() const { return std::uint32_t(m_boxes.size() - 1); }
    std::uint32_t boxOf(std::uint32_t node) const;
    std::uint32_t parentOf(std::uint32_t box) const;
    std::uint32_t port(Box &box, std::map<std::uint32_t, std::uint32_t> &ports, std::uint32_t from,
                       Pin pin);
    std::uint32_t connect(std::uint32_t box, std::uint32_t source, std::uint32_t target,
                          const Ends &ends);
    void addEdge(std::uint32_t edge);
    bool drawBox(std::uint32_t box, std::stop_token stop);
    void placePorts(Box &box);
    double portOffset(std::uint32_t box, std::uint32_t vertex) const;
    Route routeOf(std::uint32_t edge) const;

    const Input &m_input;
    const Options &m_options;
    std::vector<Box> m_boxes;                 // by group, then the whole graph
    std::vector<std::uint32_t> m_depth;       // by box; 0: the whole graph
    std::vector<std::uint32_t> m_nodes;       // by node: its vertex in its box
    std::vector<std::uint32_t> m_vertex;      // by group: its vertex in the box around it
    std::vector<std::vector<Piece>> m_pieces; // by edge
};

} // namespace graphloom::layout
