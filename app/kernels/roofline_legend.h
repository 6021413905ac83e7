// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"

#include <QFont>
#include <QRectF>

#include <vector>

class QChart;
class QPainter;
class QXYSeries;

namespace graphloom {

/// An entry of the legend of a roofline: a series that is drawn, with a sample of its line or
/// marker.
struct RooflineEntry {
    const QXYSeries *series;
    QRectF sample, text;
};

/// Returns an entry for each series of a chart that has points, from left to right in as many rows
/// as they need below the top of a rectangle; with `all`, also of those that have none now.
std::vector<RooflineEntry> legendOf(const QChart &chart, const QRectF &room, const QFont &font,
                                    bool all = false);
/// Returns the height of the entries with a margin.
double heightOf(const std::vector<RooflineEntry> &legend);
/// Paints the entries as the chart draws their series: same pen, same colour, same size.
void paintLegend(QPainter &painter, const std::vector<RooflineEntry> &legend, const QFont &font,
                 const Theme &theme);

} // namespace graphloom
