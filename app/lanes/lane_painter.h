// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lane_picture.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

class QPainter;

namespace graphloom {

/// Paints lanes that are laid out, with ruler and legend but without a background: onto a widget or
/// a picture, or into an SVG file.
void paintLanes(QPainter &painter, const LanePicture &picture, const Theme &theme);

/// Holds the marks that change with the pointer and the selection.
struct LaneMarks {
    std::vector<std::vector<bool>> selected; // steps, by run; empty: none
    std::optional<std::uint32_t> current;    // a slice
    std::optional<LanePicture::Hit> hovered;
};
void paintMarks(QPainter &painter, const LanePicture &picture, const Theme &theme,
                const LaneMarks &marks);

/// Returns the colour of a step.
const QColor &colourOf(const Theme &theme, LaneColours colours, const Lanes::Step &step);

/// Describes an entry of the legend: a colour with its meaning.
struct LaneLegendEntry {
    QString text;
    QColor colour;
    enum class Kind { Slices, Interpreted, Idle } kind = Kind::Slices;
};
/// Returns an entry for each colour and pattern of the runs that are shown.
std::vector<LaneLegendEntry> legendOf(const LaneScene &scene, const Theme &theme);

/// Returns a picture of lanes for export, in any size. Requires lanes with slices.
ViewPicture lanesPicture(const LaneScene &scene, const QStringList &notes);

} // namespace graphloom
