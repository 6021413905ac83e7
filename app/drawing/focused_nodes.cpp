// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the nodes that a focus leaves in a drawing.
#include "app/drawing/visible_graph.h"
#include "app/layout/adjacency.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Marks the nodes within a number of steps from some nodes; a negative number means no limit.
std::vector<bool> reachOf(const VisibleGraph &graph, const std::vector<std::uint32_t> &from,
                          bool down, int steps)
{
    const layout::Adjacency edges(graph.nodes.size(), graph.edges,
                                  down ? &VisibleGraph::Edge::source : &VisibleGraph::Edge::target);
    std::vector<bool> reached(graph.nodes.size(), false);
    std::vector<std::uint32_t> level = from;
    for (const std::uint32_t v : from)
        reached[v] = true;
    for (int step = 0; step != steps && !level.empty(); ++step) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t v : level)
            for (const std::uint32_t e : edges.of(v)) {
                const std::uint32_t to = down ? graph.edges[e].target : graph.edges[e].source;
                if (!reached[to]) {
                    reached[to] = true;
                    next.push_back(to);
                }
            }
        level = std::move(next);
    }
    return reached;
}

} // namespace

std::set<NodeId> nodesInFocus(const Snapshot &snapshot, const ViewOptions &options, bool *connected)
{
    ViewOptions whole = options;
    whole.only.clear();
    whole.focus = {};
    const VisibleGraph graph = visibleGraphOf(snapshot, whole);
    const Focus &focus = options.focus;
    std::vector<std::vector<std::uint32_t>> seeds; // by item
    std::vector<std::uint32_t> all;
    for (const Item &item : focus.around) {
        std::vector<std::uint32_t> own;
        if (const std::uint32_t node = graph.nodeOf(item); node != VisibleGraph::none)
            own.push_back(node);
        else if (item.isGroup() && snapshot.contains(item))
            for (const NodeId id : snapshot.nodesOf(item))
                if (const std::uint32_t drawn = graph.nodeOf(Item::of(id));
                    drawn != VisibleGraph::none)
                    own.push_back(drawn);
        all.insert(all.end(), own.begin(), own.end());
        seeds.push_back(std::move(own));
    }
    std::vector<bool> shown;
    if (focus.between) {
        const auto below = reachOf(graph, all, true, -1), above = reachOf(graph, all, false, -1);
        for (std::size_t v = 0; v < graph.nodes.size(); ++v)
            shown.push_back(below[v] && above[v]);
        if (connected)
            *connected = std::ranges::any_of(seeds, [&](const auto &own) {
                const auto reached = reachOf(graph, own, true, -1);
                return std::ranges::any_of(seeds, [&](const auto &other) {
                    return &other != &own &&
                           std::ranges::any_of(other, [&](std::uint32_t v) { return reached[v]; });
                });
            });
    } else {
        const auto below = reachOf(graph, all, true, focus.down),
                   above = reachOf(graph, all, false, focus.up);
        for (std::size_t v = 0; v < graph.nodes.size(); ++v)
            shown.push_back(below[v] || above[v]);
        if (connected)
            *connected = true;
    }
    std::set<NodeId> nodes;
    for (const NodeId id : snapshot.graph().order())
        if (const std::uint32_t v = graph.nodeOf(Item::of(id)); v != VisibleGraph::none && shown[v])
            nodes.insert(id);
    return nodes;
}

} // namespace graphloom
