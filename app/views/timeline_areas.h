// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/views/theme.h"
#include "app/views/timeline_picture.h"

class QPainter;

namespace graphloom {

/// Patterns beside colours; none is plain.
enum class AreaPattern : std::uint8_t { Plain, Upright, Level, Rising, Falling, Dots, Crossed };
AreaPattern patternOf(MemoryTimeline::Class kind);

/// The areas of a timeline: weights, tensors, and what is too thin. With the names of those that
/// are large enough.
void paintAreas(QPainter &painter, const TimelinePicture &picture, const Theme &theme);
/// A sample of an area, for a legend.
void paintSample(QPainter &painter, const QRectF &rect, const QColor &colour, AreaPattern pattern);

} // namespace graphloom
