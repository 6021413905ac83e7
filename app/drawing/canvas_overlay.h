// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "app/style/theme.h"

#include <QPainter>

#include <set>
#include <span>

namespace graphloom {

/// Why nodes are marked.
enum class MatchMeaning { Found, Removed, Added, Changed };

/// Items that are marked for one reason, and where they are drawn.
struct Marks {
    MatchMeaning meaning = MatchMeaning::Found;
    std::vector<Item> items;
    std::set<std::uint32_t> nodes; // visible ones
};

/// What changes on the canvas without a new drawing: selection, search matches, the item under
/// the mouse.
struct OverlayState {
    Item selected, hovered;
    const std::vector<Item> *all = nullptr; // that is selected; may be null
    std::span<const Marks> marks = {};
    double scale = 1;
    const std::set<std::uint32_t> *causes = nullptr; // why an edit is refused; may be null
};

/// How frames are drawn, so that colour does not tell alone.
Qt::PenStyle lineOf(MatchMeaning meaning);

/// Paints the marks of what lies in `exposed` onto a painter set up for the scene. The edges of
/// the selected item are drawn in the colours of what it reads and what reads it.
void paintOverlay(QPainter &painter, const Drawing &drawing, const Theme &theme,
                  const QRectF &exposed, const OverlayState &state);

} // namespace graphloom
