// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "app/style/theme.h"

#include <QPainter>

#include <set>
#include <span>

namespace graphloom {

/// Tells why nodes are marked.
enum class MatchMeaning { Found, Removed, Added, Changed };

/// Items that are marked for one reason, and where they are drawn.
struct Marks {
    MatchMeaning meaning = MatchMeaning::Found;
    std::vector<Item> items;
    std::set<std::uint32_t> nodes; // indices into VisibleGraph::nodes
};

/// The state of the canvas that changes without a new drawing: selection, search matches, and the
/// item under the mouse.
struct OverlayState {
    Item selected, hovered;
    const std::vector<Item> *all = nullptr; // selected items; may be null
    std::span<const Marks> marks = {};
    double scale = 1;
    const std::set<std::uint32_t> *causes = nullptr; // causes of a refused edit; may be null
};

/// Returns the line style of frames, so that colour is not the only difference.
Qt::PenStyle lineOf(MatchMeaning meaning);

/// Paints the marks that lie in `exposed`, with a painter set up for the scene. The edges of the
/// selected item are drawn in the colours of its inputs and outputs.
void paintOverlay(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const OverlayState &state);

} // namespace graphloom
