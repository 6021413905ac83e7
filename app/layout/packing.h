// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/layout/geometry.h"

namespace graphloom::layout {

/// Returns top left corners for rectangles that lie side by side in rows with gaps between them,
/// the tallest first. The whole comes close to width / height = aspect (0: 1.6).
std::vector<Point> packRectangles(const std::vector<Rect> &sizes, double aspect, double gap);

} // namespace graphloom::layout
