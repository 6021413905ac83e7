// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/layers.h"

#include <vector>

namespace graphloom::layout {

struct Gaps {
    double node = 28; // between two nodes
    double edge = 14; // between two lines, or a line and a node
};

/// Returns an x for every vertex that keeps the order of each layer and the gaps, with chains as
/// straight as that allows. The method is U. Brandes, B. Köpf, "Fast and simple horizontal
/// coordinate assignment" (GD 2001), extended by widths and ports. Blocks are compacted along their
/// constraint graph, which avoids the error in the paper's third step. A node is aligned first with
/// neighbours that are nodes too: the main path stays straight, and lines that skip it bend. Linear
/// in vertices and segments, except for sorting.
IndexedVector<VertexIndex, double> placeHorizontally(const Layers &layers, const Gaps &gaps);

} // namespace graphloom::layout
