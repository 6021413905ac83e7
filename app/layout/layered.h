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
    double pinnedRankGap = 8; // beside a rank of ports
    double aspect = 0;        // as in Options
    double tallest = 0;       // up to this height it stays one column in spite of the aspect
    int sweeps = 24;
};

/// One layered drawing, its top left corner at the origin.
struct Layered {
    std::vector<Point> axes;   // by node: x of its axis, y of its middle
    std::vector<Route> routes; // by edge, from source to target
    Rect bounds;               // of nodes and routes
    bool hasColumns = false;
};

/// K. Sugiyama's method: ranks, chains for long edges, few crossings, straight lines; then,
/// if an aspect is asked for, columns. The graph need not be connected. None when stopped.
std::optional<Layered> drawLayered(const LayeredInput &input, const LayeredOptions &options,
                                   std::stop_token stop);

} // namespace graphloom::layout
