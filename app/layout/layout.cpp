// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/layout.h"

#include "app/layout/grouping.h"
#include "app/layout/layered.h"
#include "app/layout/packing.h"
#include "app/layout/ranking.h"
#include "app/layout/rows.h"
#include "app/layout/stubs.h"

#include <limits>

namespace graphloom::layout {

namespace {

/// Counts the connected components of a graph.
using PartIndex = TypedIndex<struct ConnectedPartTag>;

/// Returns the vertices of each connected component, ordered by their first vertices.
IndexedVector<PartIndex, std::vector<VertexIndex>> componentsOf(const LayeredInput &graph)
{
    IndexedVector<VertexIndex, VertexIndex> leader(graph.nodes.size());
    for (const VertexIndex v : leader.indices())
        leader[v] = v;
    const auto find = [&](VertexIndex v) {
        while (leader[v] != v)
            v = leader[v] = leader[leader[v]];
        return v;
    };
    for (const LayeredEdge &edge : graph.edges) {
        const VertexIndex a = find(edge.source), b = find(edge.target);
        leader[std::max(a, b)] = std::min(a, b);
    }
    IndexedVector<PartIndex, std::vector<VertexIndex>> result;
    IndexedVector<VertexIndex, PartIndex> number(graph.nodes.size());
    for (const VertexIndex v : graph.nodes.indices()) {
        PartIndex &n = number[find(v)];
        if (!n.isValid())
            n = result.append({});
        result[n].push_back(v);
    }
    return result;
}

/// Draws each connected component separately and puts them side by side.
std::optional<Layered> drawParts(const LayeredInput &graph, const LayeredOptions &options,
                                 std::stop_token stop)
{
    const auto components = componentsOf(graph);
    IndexedVector<VertexIndex, VertexIndex> place(graph.nodes.size()); // in its component
    IndexedVector<VertexIndex, PartIndex> part(graph.nodes.size());
    IndexedVector<PartIndex, LayeredInput> inputs(components.size());
    PartIndex largest(0);
    for (const PartIndex c : components.indices()) {
        for (const VertexIndex v : components[c]) {
            place[v] = inputs[c].nodes.append(graph.nodes[v]);
            part[v] = c;
        }
        if (components[c].size() > components[largest].size())
            largest = c;
    }
    IndexedVector<LineIndex, LineIndex> edgePlace(graph.edges.size());
    for (const LineIndex e : graph.edges.indices()) {
        LayeredEdge edge = graph.edges[e];
        LayeredInput &input = inputs[part[edge.source]];
        edge.source = place[edge.source];
        edge.target = place[edge.target];
        edgePlace[e] = input.edges.append(edge);
    }
    IndexedVector<PartIndex, Layered> drawings;
    std::vector<Rect> sizes;
    for (const PartIndex c : components.indices()) {
        LayeredOptions own = options;
        if (c != largest)
            own.aspect = 0;
        auto drawing = drawLayered(inputs[c], own, stop);
        if (!drawing)
            return std::nullopt;
        sizes.push_back(drawing->bounds);
        drawings.push_back(std::move(*drawing));
    }
    const IndexedVector<PartIndex, Point> corners(
        packRectangles(sizes, options.aspect, 2 * options.gaps.node));

    Layered result;
    result.axes.resize(graph.nodes.size());
    for (const VertexIndex v : graph.nodes.indices()) {
        const Point axis = drawings[part[v]].axes[place[v]];
        result.axes[v] = {axis.x + corners[part[v]].x, axis.y + corners[part[v]].y};
    }
    for (const LineIndex e : graph.edges.indices()) {
        const PartIndex c = part[graph.edges[e].source];
        Route route = std::move(drawings[c].routes[edgePlace[e]]);
        for (Point &p : route)
            p = {p.x + corners[c].x, p.y + corners[c].y};
        result.routes.push_back(std::move(route));
    }
    for (const PartIndex c : corners.indices())
        result.bounds.include(drawings[c].bounds.moved(corners[c].x, corners[c].y));
    return result;
}

} // namespace

std::optional<Layout> arrange(const Input &input, const Options &options, std::stop_token stop)
{
    const std::size_t nodes = input.nodes.size();
    Layout result;
    result.ranks = rankNodes(nodes, withoutCycles(nodes, input.edges));
    std::vector<bool> drawn =
        chooseStubs(input, input.groups == 0 ? result.ranks : rowsOf(input), options);
    drawn.flip();

    std::vector<LayeredNode> extents;
    for (const Node &node : input.nodes)
        extents.push_back({node.width / 2, node.width / 2, node.height, Pin::Free});
    std::vector<bool> stubOut(nodes, false), stubIn(nodes, false);
    for (std::size_t e = 0; e < drawn.size(); ++e)
        if (!drawn[e]) {
            stubOut[input.edges[e].source] = true;
            stubIn[input.edges[e].target] = true;
        }
    for (std::size_t v = 0; v < nodes; ++v) {
        extents[v].right += stubOut[v] ? options.stubWidth : 0;
        extents[v].left += stubIn[v] ? options.stubWidth : 0;
    }

    Boxes boxes(input, extents, drawn, options);
    if (!boxes.draw(stop))
        return std::nullopt;
    LayeredOptions outer;
    outer.gaps = {options.nodeGap, options.edgeGap};
    outer.rankGap = options.rankGap;
    outer.aspect = options.aspect;
    const auto drawing = drawParts(boxes.outer(), outer, stop);
    if (!drawing)
        return std::nullopt;
    boxes.place(*drawing, result);
    for (std::size_t v = 0; v < nodes; ++v) {
        const Rect &rect = result.nodes[v];
        result.outStubs.push_back(
            stubOut[v] ? Rect{rect.right, rect.top, rect.right + options.stubWidth, rect.bottom}
                       : Rect{});
        result.inStubs.push_back(
            stubIn[v] ? Rect{rect.left - options.stubWidth, rect.top, rect.left, rect.bottom}
                      : Rect{});
    }
    return result;
}

} // namespace graphloom::layout
