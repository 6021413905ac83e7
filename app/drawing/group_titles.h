// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/drawing/drawing.h"
#include "app/style/theme.h"

#include <QPainter>

namespace graphloom {

/// Paints the titles of the groups in `exposed`, with a painter set up for the scene. `unit` is the
/// length of a pixel of the titles in scene units: the inverse of the scale for titles of constant
/// size on screen. A title that has no room in its box, or none beneath those of the groups around
/// it, is left out.
void paintGroupTitles(QPainter &painter, const Drawing &drawing, const Theme &theme,
                      const QRectF &exposed, double unit);

/// Returns where such a title is, in scene coordinates; a null rectangle if it is left out.
QRectF groupTitleRect(const Drawing &drawing, std::uint32_t group, double unit);

} // namespace graphloom
