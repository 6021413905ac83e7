// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// The areas of a timeline: weights, tensors, and what is too thin. With the names of those that
/// are large enough. On pixels they are made pixel by pixel, elsewhere they are paths.
void paintAreas(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

} // namespace graphloom
