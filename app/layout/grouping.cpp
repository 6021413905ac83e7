// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/grouping.h"

#include <algorithm>
#include <cassert>

namespace graphloom::layout {

Boxes::Boxes(const Input &input, const std::vector<LayeredNode> &extents,
             const std::vector<bool> &drawn, const Options &options)
    : m_input(input), m_options(options), m_boxes(input.groups + 1), m_depth(input.groups + 1, 0),
      m_nodes(input.nodes.size()), m_vertex(input.groups), m_pieces(input.edges.size())
{
    for (const BoxIndex g : groupBoxes()) {
        assert((parentOf(g) == root() || parentOf(g) < g) && "parents come first");
        m_depth[g] = m_depth[parentOf(g)] + 1;
        LayeredInput &around = m_boxes[parentOf(g)].inside;
        m_vertex[g] = around.nodes.append({}); // its size is known once it is drawn
    }
    for (std::uint32_t v = 0; v < input.nodes.size(); ++v) {
        LayeredInput &around = m_boxes[boxOf(v)].inside;
        m_nodes[v] = around.nodes.append(extents[v]);
    }
    for (std::uint32_t e = 0; e < input.edges.size(); ++e)
        if (drawn[e])
            addEdge(e);
}

Boxes::BoxIndex Boxes::boxOf(std::uint32_t node) const
{
    const std::uint32_t group = m_input.nodes[node].group;
    return group == none ? root() : BoxIndex(group);
}

Boxes::BoxIndex Boxes::parentOf(BoxIndex box) const
{
    const std::uint32_t parent = m_input.parents.empty() ? none : m_input.parents[numberOf(box)];
    return parent == none ? root() : BoxIndex(parent);
}

VertexIndex Boxes::port(Box &box, Ports &ports, std::uint32_t from, Pin pin)
{
    const auto [it, added] = ports.emplace(from, box.inside.nodes.nextIndex());
    if (added)
        box.inside.nodes.push_back({m_options.edgeGap / 2, m_options.edgeGap / 2, 0, pin});
    return it->second;
}

LineIndex Boxes::connect(BoxIndex box, VertexIndex source, VertexIndex target, const Ends &ends)
{
    Box &in = m_boxes[box];
    const auto [it, added] =
        in.edges.emplace(std::tuple(source, target, ends.from), in.inside.edges.nextIndex());
    if (added) {
        in.inside.edges.push_back({source, target, 0, 0});
        in.ends.push_back(ends);
    }
    return it->second;
}

/// Leads an edge out of the boxes around its source, across the innermost box around both ends, and
/// into the boxes around its target.
void Boxes::addEdge(std::uint32_t edge)
{
    const auto [u, v] = m_input.edges[edge];
    BoxIndex from = boxOf(u), to = boxOf(v);
    VertexIndex source = m_nodes[u], target = m_nodes[v];
    Ends ends{{}, {}, u};
    std::vector<Piece> &pieces = m_pieces[edge];
    std::vector<BoxIndex> entered; // innermost first
    const auto leave = [&] {
        const VertexIndex out = port(m_boxes[from], m_boxes[from].outPorts, u, Pin::Last);
        pieces.push_back({from, connect(from, source, out, {ends.sourceBox, {}, u})});
        source = m_vertex[from];
        ends.sourceBox = from;
        from = parentOf(from);
    };
    const auto enter = [&] {
        entered.push_back(to);
        to = parentOf(to);
    };
    while (from != to) {
        if (m_depth[from] > m_depth[to]) {
            leave();
        } else if (m_depth[to] > m_depth[from]) {
            enter();
        } else {
            leave();
            enter();
        }
    }
    if (!entered.empty()) {
        ends.targetBox = entered.back();
        target = m_vertex[ends.targetBox];
    }
    pieces.push_back({from, connect(from, source, target, ends)});
    for (auto it = entered.rbegin(); it != entered.rend(); ++it) {
        const VertexIndex in = port(m_boxes[*it], m_boxes[*it].inPorts, u, Pin::First);
        const bool innermost = it + 1 == entered.rend();
        const BoxIndex inner = innermost ? BoxIndex() : *(it + 1);
        pieces.push_back(
            {*it, connect(*it, in, innermost ? m_nodes[v] : m_vertex[inner], {{}, inner, u})});
    }
}

bool Boxes::draw(std::stop_token stop)
{
    for (const BoxIndex g : groupBoxes().reversed())
        if (!drawBox(g, stop))
            return false;
    placePorts(m_boxes.back());
    return true;
}

/// Sets where edges meet the boxes inside a box, whose drawings are known by now.
void Boxes::placePorts(Box &box)
{
    for (const LineIndex e : box.ends.indices()) {
        const auto [source, target, from] = box.ends[e];
        if (source.isValid())
            box.inside.edges[e].sourcePort = portOffset(source, m_boxes[source].outPorts.at(from));
        if (target.isValid())
            box.inside.edges[e].targetPort = portOffset(target, m_boxes[target].inPorts.at(from));
    }
}

bool Boxes::drawBox(BoxIndex g, std::stop_token stop)
{
    Box &box = m_boxes[g];
    placePorts(box);
    LayeredOptions inner;
    inner.gaps = {m_options.nodeGap, m_options.edgeGap};
    inner.rankGap = m_options.rankGap;
    inner.aspect = m_options.aspect;
    inner.tallest = m_options.tallestBox;
    auto drawing = drawLayered(box.inside, inner, stop);
    if (!drawing)
        return false;
    const double title = m_input.titleWidths.empty() ? 0 : m_input.titleWidths[numberOf(g)];
    const double width = std::max(title, drawing->bounds.width() + 2 * m_options.groupPadding);
    const double height =
        drawing->bounds.height() + 2 * m_options.groupPadding + m_options.groupTitle;
    box.inset = (width - drawing->bounds.width()) / 2;
    box.size = {0, 0, width, height};
    box.drawing = std::move(*drawing);
    m_boxes[parentOf(g)].inside.nodes[m_vertex[g]] = {width / 2, width / 2, height, Pin::Free,
                                                      box.drawing.hasColumns};
    return true;
}

/// Returns the offset of a port from the middle of its box.
double Boxes::portOffset(BoxIndex box, VertexIndex vertex) const
{
    return m_boxes[box].drawing.axes[vertex].x + m_boxes[box].inset - m_boxes[box].size.width() / 2;
}

Route Boxes::routeOf(std::uint32_t edge) const
{
    Route route;
    const std::uint32_t from = m_input.edges[edge].source;
    bool entering = false;
    for (const Piece &piece : m_pieces[edge]) {
        const Box &box = m_boxes[piece.box];
        const VertexIndex target = box.inside.edges[piece.edge].target;
        const Point at = box.content;
        const double top = at.y - m_options.groupPadding - m_options.groupTitle;
        const bool leaving =
            piece.box != root() && box.outPorts.contains(from) && box.outPorts.at(from) == target;
        if (entering)
            extend(route, {box.drawing.axes[box.inPorts.at(from)].x + at.x, top});
        for (const Point p : box.drawing.routes[piece.edge])
            extend(route, {p.x + at.x, p.y + at.y});
        if (leaving)
            extend(route, {box.drawing.axes[target].x + at.x, top + box.size.height()});
        entering = entering || !leaving; // after the piece that crosses over, all lead inwards
    }
    return route;
}

void Boxes::place(const Layered &outer, Layout &layout)
{
    m_boxes.back().drawing = outer;
    layout.bounds = outer.bounds;
    for (const BoxIndex g : groupBoxes()) {
        Box &box = m_boxes[g];
        const Box &around = m_boxes[parentOf(g)];
        const Point axis = around.drawing.axes[m_vertex[g]];
        const Point corner{around.content.x + axis.x - box.size.width() / 2,
                           around.content.y + axis.y - box.size.height() / 2};
        box.content = {corner.x + box.inset,
                       corner.y + m_options.groupPadding + m_options.groupTitle};
        layout.groups.push_back(box.size.moved(corner.x, corner.y));
    }
    for (std::uint32_t v = 0; v < m_input.nodes.size(); ++v) {
        const Box &box = m_boxes[boxOf(v)];
        const Node &node = m_input.nodes[v];
        const Point axis{box.content.x + box.drawing.axes[m_nodes[v]].x,
                         box.content.y + box.drawing.axes[m_nodes[v]].y};
        layout.nodes.push_back({axis.x - node.width / 2, axis.y - node.height / 2,
                                axis.x + node.width / 2, axis.y + node.height / 2});
    }
    for (std::uint32_t e = 0; e < m_input.edges.size(); ++e)
        layout.routes.push_back(routeOf(e));
}

} // namespace graphloom::layout
