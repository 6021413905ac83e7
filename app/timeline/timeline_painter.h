// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// Paints a timeline that is laid out, with axes and legend but without a background: onto a widget
/// or a picture, or into an SVG file.
void paintTimeline(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

/// Returns a picture of a timeline for export, in any size. Requires a timeline with steps.
ViewPicture memoryPicture(const TimelineScene &scene, const QStringList &notes);

/// Marks that change with the pointer and the selection.
struct TimelineMarks {
    std::vector<std::uint32_t> selected; // lifetimes
    std::optional<std::uint32_t> hovered;
    std::optional<std::uint32_t> cursor; // a step
};
void paintMarks(QPainter &painter, const TimelinePicture &picture, const Theme &theme,
                const TimelineMarks &marks);

/// Number of tones of a colour. Each lifetime has a fixed one, such that neighbours differ.
inline constexpr std::uint32_t tones = 4;
constexpr std::uint32_t toneOf(std::uint32_t tensor)
{
    return (tensor * 2654435761U) >> 30;
}
QColor toned(const QColor &colour, std::uint32_t tone);
/// Returns the colour of a lifetime: that of its class, in the tone of the lifetime.
QColor colourOf(const Theme &theme, const MemoryTimeline &timeline, std::uint32_t tensor);
/// Returns the colour of the timeline that is drawn over another for comparison.
QColor comparedColour(const Theme &theme);

} // namespace graphloom
