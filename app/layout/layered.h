// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layers.h"
#include "app/layout/placement.h"

#include <optional>
#include <stop_token>

namespace graphloom::layout {

struct LayeredOptions {
    Gaps gaps;
    double rankGap = 34;
    double pinnedRankGap = 8; // next to a rank of ports
    double aspect = 0;        // as in Options
    double tallest = 0;       // up to this height there is one column, whatever the aspect
    int sweeps = 24;
};

/// One layered drawing, with its top left corner at the origin.
struct Layered {
    IndexedVector<VertexIndex, Point> axes; // by node: x of its axis, y of its middle
    IndexedVector<LineIndex, Route> routes; // from source to target
    Rect bounds;                            // of nodes and routes
    bool hasColumns = false;
};

/// Draws a graph by K. Sugiyama's method: ranks, chains for long edges, few crossings, straight
/// lines; then columns, if an aspect is asked for. The graph need not be connected. Returns nothing
/// when stopped.
std::optional<Layered> drawLayered(const LayeredInput &input, const LayeredOptions &options,
                                   std::stop_token stop);

} // namespace graphloom::layout
