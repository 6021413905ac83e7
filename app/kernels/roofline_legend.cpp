// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/roofline_legend.h"

#include <QChart>
#include <QFontMetricsF>
#include <QPainter>
#include <QScatterSeries>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double sampleLine = 26, sampleGap = 5, entrySpacing = 14, legendMargin = 4;

} // namespace

std::vector<RooflineEntry> legendOf(const QChart &chart, const QRectF &room, const QFont &font,
                                    bool all)
{
    const QFontMetricsF metrics(font);
    std::vector<RooflineEntry> legend;
    double x = room.left(), y = room.top() + legendMargin;
    double height = std::ceil(metrics.height());
    for (const QAbstractSeries *any : chart.series())
        if (const auto *scatter = qobject_cast<const QScatterSeries *>(any))
            height = std::max(height, scatter->markerSize() + 2);
    for (const QAbstractSeries *any : chart.series()) {
        const auto *series = qobject_cast<const QXYSeries *>(any);
        if (!series || (series->count() == 0 && !all))
            continue;
        const auto *scatter = qobject_cast<const QScatterSeries *>(series);
        const double sample = scatter ? scatter->markerSize() + 2 : sampleLine;
        const double width = metrics.horizontalAdvance(series->name()) + 2;
        if (x > room.left() && x + sample + sampleGap + width > room.right()) {
            x = room.left();
            y += height;
        }
        legend.push_back({series, QRectF(x, y, sample, height),
                          QRectF(x + sample + sampleGap, y, width, height)});
        x += sample + sampleGap + width + entrySpacing;
    }
    return legend;
}

double heightOf(const std::vector<RooflineEntry> &legend)
{
    return legend.empty()
               ? legendMargin
               : legend.back().text.bottom() - legend.front().text.top() + 2 * legendMargin;
}

void paintLegend(QPainter &painter, const std::vector<RooflineEntry> &legend, const QFont &font,
                 const Theme &theme)
{
    painter.save();
    painter.setFont(font);
    painter.setRenderHint(QPainter::Antialiasing);
    for (const RooflineEntry &entry : legend) {
        painter.setPen(entry.series->pen());
        const QPointF centre = entry.sample.center();
        if (const auto *scatter = qobject_cast<const QScatterSeries *>(entry.series)) {
            painter.setBrush(scatter->brush());
            const double radius = scatter->markerSize() / 2;
            painter.drawEllipse(centre, radius, radius);
        } else {
            painter.drawLine(QPointF(entry.sample.left(), centre.y()),
                             QPointF(entry.sample.right(), centre.y()));
        }
        painter.setPen(theme.palette.color(QPalette::WindowText));
        painter.drawText(entry.text, Qt::AlignLeft | Qt::AlignVCenter, entry.series->name());
    }
    painter.restore();
}

} // namespace graphloom
