// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/timeline/timeline_picture.h"

class QPainter;

namespace graphloom {

/// Paints a timeline that is laid out, with axes and legend and without its ground: onto a widget,
/// a picture, into an SVG file.
void paintTimeline(QPainter &painter, const TimelinePicture &picture, const Theme &theme);

/// The same to leave the program, in any size. Requires a timeline with steps.
ViewPicture memoryPicture(const TimelineScene &scene, const QStringList &notes);

/// What changes with the pointer and the selection.
struct TimelineMarks {
    std::vector<std::uint32_t> selected; // lives
    std::optional<std::uint32_t> hovered;
    std::optional<std::uint32_t> cursor; // a step
};
void paintMarks(QPainter &painter, const TimelinePicture &picture, const Theme &theme,
                const TimelineMarks &marks);

/// Tones of a colour, of which each life has one: neighbours differ, and stay as they are.
inline constexpr std::uint32_t tones = 4;
constexpr std::uint32_t toneOf(std::uint32_t tensor)
{
    return (tensor * 2654435761U) >> 30;
}
QColor toned(const QColor &colour, std::uint32_t tone);
/// The colour of a life: that of its class, in a tone of its own.
QColor colourOf(const Theme &theme, const MemoryTimeline &timeline, std::uint32_t tensor);
/// That of the timeline that is drawn over it.
QColor comparedColour(const Theme &theme);

} // namespace graphloom
