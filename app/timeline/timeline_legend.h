// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// What stands beside the chart of a timeline: lanes that say when something is stored, loaded or
/// computed again, and what colours and patterns mean.
void paintLanes(QPainter &painter, const TimelinePicture &picture, const Theme &theme);
void paintLegend(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

} // namespace graphloom
