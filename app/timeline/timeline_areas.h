// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// Paints the areas of a timeline: weights, tensors, and the sum of what is too thin to be seen,
/// with the names of areas that are large enough. On raster devices areas are painted pixel by
/// pixel, elsewhere as paths.
void paintAreas(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

} // namespace graphloom
