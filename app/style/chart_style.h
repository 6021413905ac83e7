// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <utility>

class QChartView;
class QPainter;
class QRectF;

namespace graphloom {

/// A chart as all of them are here: flat, without animation, in small letters. After its axes were
/// added.
void setUpChart(QChartView &view);
/// Ground, legend and axes in the theme's colours; what is drawn has its own.
void paintChart(QChartView &view, const Theme &theme, QPalette::ColorRole ground);
/// Paints a chart that is in no window into a rectangle of anything, in the size of that and
/// without its ground. On the GUI thread, as all of Qt Charts.
void renderChart(QChartView &view, QPainter &painter, const QRectF &place);

/// A picture of a chart by a View of its own, which `fill` gives what it shows.
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

/// 1, 2 or 5 times a power of ten, of which there are at most `most` in a range.
double roundStep(double range, double most);
/// How many digits behind the point multiples of a step have.
int decimalsOf(double step);

} // namespace graphloom
