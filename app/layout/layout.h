// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/geometry.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace graphloom::layout {

/// This header declares the layered layout of graphs: it computes where a drawing puts things. It
/// does not use Qt, so it runs on worker threads and in tests alike. All results depend on the
/// input alone.

inline constexpr std::uint32_t none = ~std::uint32_t{0};

struct Node {
    double width = 0, height = 0;
    std::uint32_t group = none; // the expanded group that the node is drawn in
};

/// An edge between two nodes, which are given by their indices.
struct Edge {
    std::uint32_t source = 0, target = 0;
};

/// The graph to lay out. Groups may be nested. A drawing without edges that run upwards requires
/// that the graph stays acyclic when each group is taken as one node, which holds for the groups of
/// partitions and of convexForest().
struct Input {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::uint32_t groups = 0;
    /// By group: the parent group, which must have a lower index, or none. Empty: no group is
    /// nested.
    std::vector<std::uint32_t> parents;
    std::vector<double> titleWidths; // by group: least width of its box; empty: any width
};

struct Options {
    double nodeGap = 28, edgeGap = 14, rankGap = 34;
    double groupPadding = 14, groupTitle = 22;
    /// Height in scene units beyond which a box is broken into columns, too. Requires an aspect.
    double tallestBox = 1500;
    /// Desired width of the drawing divided by its height. Long graphs are broken into columns,
    /// like text in a newspaper. 0: one column, however long.
    double aspect = 0;
    /// Thresholds for stubs: an edge is drawn as a labelled stub at both of its ends when its
    /// source has at least stubFanout edges and it spans more than stubSpan rows (rowsOf()).
    std::uint32_t stubFanout = 8, stubSpan = 40;
    /// Number of lines spanning more than stubSpan rows that may run side by side. The longest of
    /// any further ones become stubs, too: a hundred lines, as from the forward to the backward
    /// half of a training step, cannot be followed by eye, and layout time is linear in their
    /// pieces.
    std::uint32_t mostParallel = 16;
    double stubWidth = 84; // space beside a node for the label of its stub
};

struct Layout {
    std::vector<Rect> nodes;          // by node
    std::vector<Route> routes;        // by edge; empty for stubs
    std::vector<Rect> groups;         // by group; encloses its content and the title above
    std::vector<std::uint32_t> ranks; // by node; an edge leads to a higher rank, except on cycles
    /// Space for the labels of stubs, by node: to the right of nodes that edges leave, to the left
    /// of nodes that edges enter. Empty rectangles for nodes without stubs.
    std::vector<Rect> outStubs, inStubs;
    Rect bounds;

    bool isStub(std::uint32_t edge) const { return routes[edge].empty(); }
};

/// Computes the layered drawing of a graph: every edge runs downwards (cycles are broken first),
/// nodes do not overlap, and unrelated parts lie side by side. Returns nothing when stopped.
std::optional<Layout> arrange(const Input &input, const Options &options = {},
                              std::stop_token stop = {});

} // namespace graphloom::layout
