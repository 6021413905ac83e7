// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// These paint what surrounds the chart of a timeline: lanes that show when something is stored,
/// loaded or recomputed, and a legend of colours and patterns.
void paintLanes(QPainter &painter, const TimelinePicture &picture, const Theme &theme);
void paintLegend(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

} // namespace graphloom
