// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QString>

#include <utility>
#include <vector>

class QChartView;
class QPainter;
class QRectF;

namespace graphloom {

/// Sets up a chart in the style of all charts: flat, without animation, in small type. Call it
/// after the axes were added.
void setUpChart(QChartView &view);
/// Paints background, legend and axes in the theme's colours. Series keep their own.
void paintChart(QChartView &view, const Theme &theme, QPalette::ColorRole ground);
/// Paints a chart that is in no window into a rectangle of any paint device, at the size of that
/// rectangle and without a background. Call it on the GUI thread, like all of Qt Charts.
void renderChart(QChartView &view, QPainter &painter, const QRectF &place);

/// Returns a picture of a chart. It is painted by a View of its own, which `fill` gives its
/// content.
template <class View, class Fill>
ViewPicture chartPicture(const QString &title, const QStringList &notes, Fill fill)
{
    ViewPicture picture;
    picture.title = title;
    picture.notes = notes;
    picture.size = usualSize;
    picture.scalable = true;
    picture.anyThread = false;
    picture.paint = [fill = std::move(fill)](QPainter &painter, const QRectF &place,
                                             const PictureLook &look) {
        View view;
        fill(view);
        view.setTheme(look.theme);
        renderChart(view, painter, place);
    };
    return picture;
}

/// Returns a step of 1, 2 or 5 times a power of ten that fits into a range at most `most` times.
double roundStep(double range, double most);
/// Returns the number of decimals that multiples of a step have.
int decimalsOf(double step);

/// Describes a mark of an axis, with its number as text.
struct AxisMark {
    double place;
    QString text;
};
/// Returns marks at round places of a range: at most about `most`, and no closer than `least`.
std::vector<AxisMark> axisMarks(double from, double to, double most, double least);

} // namespace graphloom
