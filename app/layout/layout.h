// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/geometry.h"

#include <cstdint>
#include <optional>
#include <stop_token>

namespace graphloom::layout {

/// Where the layered drawing of a graph puts things. No Qt: it runs on a worker thread and in
/// tests alike. All results are a function of the input alone.

inline constexpr std::uint32_t none = ~std::uint32_t{0};

struct Node {
    double width = 0, height = 0;
    std::uint32_t group = none; // an expanded group that the node is drawn in
};

/// Both ends are node indices.
struct Edge {
    std::uint32_t source = 0, target = 0;
};

/// Groups may lie in each other. For a drawing without edges that run upwards, the graph must stay
/// acyclic when each group is taken for one node, as those of partitions do and convexForest()'s.
struct Input {
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::uint32_t groups = 0;
    /// By group: the one that it lies in, which must come before it, or none; empty: all none.
    std::vector<std::uint32_t> parents;
    std::vector<double> titleWidths; // by group: its box is not narrower; empty: any width will do
};

struct Options {
    double nodeGap = 28, edgeGap = 14, rankGap = 34;
    double groupPadding = 14, groupTitle = 22;
    /// With an aspect, boxes that would be taller in one column are broken into columns, too.
    double tallestBox = 1500;
    /// Width divided by height that the picture should come close to: long graphs are broken
    /// into columns, like text in a newspaper. 0: one column, however long.
    double aspect = 0;
    /// An edge is drawn as a labelled stub at both of its ends when its source has at least
    /// stubFanout edges and it spans more than stubSpan rows (rowsOf()).
    std::uint32_t stubFanout = 8, stubSpan = 40;
    /// So many lines that span more than stubSpan rows may run side by side; the longer ones
    /// among more of them are stubs, too: a hundred lines, as from the forward to the backward
    /// half of a step of training, lead no eye, and time is linear in their pieces.
    std::uint32_t mostParallel = 16;
    double stubWidth = 84; // room beside a node for the label of its stub
};

struct Layout {
    std::vector<Rect> nodes;          // by node
    std::vector<Route> routes;        // by edge; empty for stubs
    std::vector<Rect> groups;         // by group; around what is in it and the title above that
    std::vector<std::uint32_t> ranks; // by node; an edge leads to a higher rank, except on cycles
    /// Room for labels: to the right of nodes that edges leave, to the left of nodes that edges
    /// enter, as stubs. By node; empty rectangles where there is none.
    std::vector<Rect> outStubs, inStubs;
    Rect bounds;

    bool isStub(std::uint32_t edge) const { return routes[edge].empty(); }
};

/// The layered drawing of a graph: every edge runs downwards (cycles are broken first), nodes
/// do not overlap, unrelated parts lie side by side. None when it was stopped.
std::optional<Layout> arrange(const Input &input, const Options &options = {},
                              std::stop_token stop = {});

} // namespace graphloom::layout
