// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/grouping.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace graphloom::layout {

namespace {

/// One group while it is laid out: its nodes, then its ports.
struct Box {
    LayeredInput inside;
    std::map<std::uint32_t, std::uint32_t> inPorts, outPorts; // by source node of the edge

    std::uint32_t port(std::map<std::uint32_t, std::uint32_t> &ports, std::uint32_t source, Pin pin,
                       double width)
    {
        const auto [it, added] = ports.emplace(source, std::uint32_t(inside.nodes.size()));
        if (added)
            inside.nodes.push_back({width / 2, width / 2, 0, pin});
        return it->second;
    }
};

Route moved(const Route &route, double dx, double dy)
{
    Route result;
    for (const Point p : route)
        result.push_back({p.x + dx, p.y + dy});
    return result;
}

} // namespace

std::optional<Grouped> drawGroups(const Input &input, const std::vector<LayeredNode> &extents,
                                  const std::vector<bool> &drawn, const Options &options,
                                  std::stop_token stop)
{
    const std::size_t nodes = input.nodes.size(), edges = input.edges.size();
    Grouped result;
    result.outerOf.resize(nodes);
    result.axisInBox.resize(nodes);
    result.outerEdge.assign(edges, none);
    result.startInBox.resize(edges);
    result.endInBox.resize(edges);
    result.boxes.resize(input.groups);

    std::vector<Box> boxes(input.groups);
    std::vector<std::uint32_t> insideOf(nodes, none);
    result.outer.nodes.resize(input.groups);
    for (std::uint32_t v = 0; v < nodes; ++v) {
        const std::uint32_t group = input.nodes[v].group;
        if (group == none) {
            result.outerOf[v] = std::uint32_t(result.outer.nodes.size());
            result.outer.nodes.push_back(extents[v]);
        } else {
            result.outerOf[v] = group;
            insideOf[v] = std::uint32_t(boxes[group].inside.nodes.size());
            boxes[group].inside.nodes.push_back(extents[v]);
        }
    }

    // Edges within a box; edges that cross its border go through a port for their source.
    std::vector<std::uint32_t> leaving(edges, none), entering(edges, none), within(edges, none);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> exits; // node and box: edge
    for (std::uint32_t e = 0; e < edges; ++e) {
        if (!drawn[e])
            continue;
        const auto [u, v] = input.edges[e];
        const std::uint32_t from = input.nodes[u].group, to = input.nodes[v].group;
        if (from == to && from != none) {
            within[e] = std::uint32_t(boxes[from].inside.edges.size());
            boxes[from].inside.edges.push_back({insideOf[u], insideOf[v], 0, 0});
            continue;
        }
        if (from != none) {
            const auto [it, added] =
                exits.emplace(std::pair{u, from}, std::uint32_t(boxes[from].inside.edges.size()));
            if (added) {
                const auto port =
                    boxes[from].port(boxes[from].outPorts, u, Pin::Last, options.edgeGap);
                boxes[from].inside.edges.push_back({insideOf[u], port, 0, 0});
            }
            leaving[e] = it->second;
        }
        if (to != none) {
            const auto port = boxes[to].port(boxes[to].inPorts, u, Pin::First, options.edgeGap);
            entering[e] = std::uint32_t(boxes[to].inside.edges.size());
            boxes[to].inside.edges.push_back({port, insideOf[v], 0, 0});
        }
    }

    LayeredOptions inner;
    inner.gaps = {options.nodeGap, options.edgeGap};
    inner.rankGap = options.rankGap;
    std::vector<Layered> drawings;
    std::vector<double> insets; // from a box' left edge to its drawing
    for (std::uint32_t g = 0; g < input.groups; ++g) {
        auto drawing = drawLayered(boxes[g].inside, inner, stop);
        if (!drawing)
            return std::nullopt;
        const double title = input.titleWidths.empty() ? 0 : input.titleWidths[g];
        const double width = std::max(title, drawing->bounds.width() + 2 * options.groupPadding);
        insets.push_back((width - drawing->bounds.width()) / 2);
        const double height =
            drawing->bounds.height() + 2 * options.groupPadding + options.groupTitle;
        result.boxes[g] = {0, 0, width, height};
        result.outer.nodes[g] = {width / 2, width / 2, height, Pin::Free};
        drawings.push_back(std::move(*drawing));
    }
    const double dy = options.groupPadding + options.groupTitle;
    const auto portOf = [&](std::uint32_t group, std::uint32_t vertex) {
        return drawings[group].axes[vertex].x + insets[group] - result.boxes[group].width() / 2;
    };

    std::map<std::array<std::uint32_t, 4>, std::uint32_t> outerEdges;
    for (std::uint32_t e = 0; e < edges; ++e) {
        if (!drawn[e])
            continue;
        const auto [u, v] = input.edges[e];
        const std::uint32_t from = input.nodes[u].group, to = input.nodes[v].group;
        if (within[e] != none) {
            result.startInBox[e] = moved(drawings[from].routes[within[e]], insets[from], dy);
            continue;
        }
        LayeredEdge edge{result.outerOf[u], result.outerOf[v], 0, 0};
        std::uint32_t out = none, in = none;
        if (from != none) {
            out = boxes[from].outPorts.at(u);
            edge.sourcePort = portOf(from, out);
            result.startInBox[e] = moved(drawings[from].routes[leaving[e]], insets[from], dy);
            result.startInBox[e].push_back(
                {drawings[from].axes[out].x + insets[from], result.boxes[from].bottom});
        }
        if (to != none) {
            in = boxes[to].inPorts.at(u);
            edge.targetPort = portOf(to, in);
            result.endInBox[e] = moved(drawings[to].routes[entering[e]], insets[to], dy);
            result.endInBox[e].insert(result.endInBox[e].begin(),
                                      Point{drawings[to].axes[in].x + insets[to], 0});
        }
        const auto [it, added] = outerEdges.emplace(std::array{edge.source, out, edge.target, in},
                                                    std::uint32_t(result.outer.edges.size()));
        if (added)
            result.outer.edges.push_back(edge);
        result.outerEdge[e] = it->second;
    }
    for (std::uint32_t v = 0; v < nodes; ++v)
        if (insideOf[v] != none) {
            const Point axis = drawings[input.nodes[v].group].axes[insideOf[v]];
            result.axisInBox[v] = {axis.x + insets[input.nodes[v].group], axis.y + dy};
        }
    return result;
}

} // namespace graphloom::layout
