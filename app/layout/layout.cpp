// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/layout.h"

#include "app/layout/grouping.h"
#include "app/layout/layered.h"
#include "app/layout/packing.h"
#include "app/layout/ranking.h"
#include "app/layout/rows.h"
#include "app/layout/stubs.h"

#include <limits>
#include <numeric>

namespace graphloom::layout {

namespace {

/// Connected parts of a graph, each the list of its vertices; in the order of their first.
std::vector<std::vector<std::uint32_t>> componentsOf(const LayeredInput &graph)
{
    std::vector<std::uint32_t> leader(graph.nodes.size());
    std::iota(leader.begin(), leader.end(), 0);
    const auto find = [&](std::uint32_t v) {
        while (leader[v] != v)
            v = leader[v] = leader[leader[v]];
        return v;
    };
    for (const LayeredEdge &edge : graph.edges) {
        const std::uint32_t a = find(edge.source), b = find(edge.target);
        leader[std::max(a, b)] = std::min(a, b);
    }
    std::vector<std::vector<std::uint32_t>> result;
    std::vector<std::uint32_t> number(graph.nodes.size(), none);
    for (std::uint32_t v = 0; v < graph.nodes.size(); ++v) {
        std::uint32_t &n = number[find(v)];
        if (n == none) {
            n = std::uint32_t(result.size());
            result.emplace_back();
        }
        result[n].push_back(v);
    }
    return result;
}

/// Draws each connected part for itself and sets the parts side by side.
std::optional<Layered> drawParts(const LayeredInput &graph, const LayeredOptions &options,
                                 std::stop_token stop)
{
    const auto components = componentsOf(graph);
    std::vector<std::uint32_t> place(graph.nodes.size()), part(graph.nodes.size());
    std::vector<LayeredInput> inputs(components.size());
    std::size_t largest = 0;
    for (std::uint32_t c = 0; c < components.size(); ++c) {
        for (const std::uint32_t v : components[c]) {
            place[v] = std::uint32_t(inputs[c].nodes.size());
            part[v] = c;
            inputs[c].nodes.push_back(graph.nodes[v]);
        }
        if (components[c].size() > components[largest].size())
            largest = c;
    }
    std::vector<std::uint32_t> edgePlace(graph.edges.size());
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
        LayeredEdge edge = graph.edges[e];
        LayeredInput &input = inputs[part[edge.source]];
        edgePlace[e] = std::uint32_t(input.edges.size());
        edge.source = place[edge.source];
        edge.target = place[edge.target];
        input.edges.push_back(edge);
    }
    std::vector<Layered> drawings;
    std::vector<Rect> sizes;
    for (std::size_t c = 0; c < components.size(); ++c) {
        LayeredOptions own = options;
        if (c != largest)
            own.aspect = 0;
        auto drawing = drawLayered(inputs[c], own, stop);
        if (!drawing)
            return std::nullopt;
        sizes.push_back(drawing->bounds);
        drawings.push_back(std::move(*drawing));
    }
    const auto corners = packRectangles(sizes, options.aspect, 2 * options.gaps.node);

    Layered result;
    result.axes.resize(graph.nodes.size());
    for (std::uint32_t v = 0; v < graph.nodes.size(); ++v) {
        const Point axis = drawings[part[v]].axes[place[v]];
        result.axes[v] = {axis.x + corners[part[v]].x, axis.y + corners[part[v]].y};
    }
    for (std::uint32_t e = 0; e < graph.edges.size(); ++e) {
        const std::uint32_t c = part[graph.edges[e].source];
        Route route = std::move(drawings[c].routes[edgePlace[e]]);
        for (Point &p : route)
            p = {p.x + corners[c].x, p.y + corners[c].y};
        result.routes.push_back(std::move(route));
    }
    for (std::size_t c = 0; c < sizes.size(); ++c)
        result.bounds.include(sizes[c].moved(corners[c].x, corners[c].y));
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
