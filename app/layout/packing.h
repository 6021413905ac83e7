// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/geometry.h"

namespace graphloom::layout {

/// Top left corners for rectangles so that they lie side by side in rows, with gaps between
/// them, the tallest first; together they come close to width / height = aspect (0: 1.6).
std::vector<Point> packRectangles(const std::vector<Rect> &sizes, double aspect, double gap);

} // namespace graphloom::layout
