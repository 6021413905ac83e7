// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/pareto/pareto_marks.h"

#include <QPainter>

#include <cmath>

namespace graphloom {

namespace {

using SeriesKind = ParetoSeries::Kind;

QPolygonF corners(int count, double outer, double inner)
{
    QPolygonF shape;
    for (int i = 0; i < count; ++i) {
        const double angle = 2 * M_PI * i / count - M_PI / 2;
        shape << QPointF(std::cos(angle), std::sin(angle)) * (i % 2 == 0 ? outer : inner);
    }
    return shape;
}

} // namespace

bool isHollowMark(SeriesKind kind)
{
    return kind == SeriesKind::Before || kind == SeriesKind::Rewritten ||
           kind == SeriesKind::Measured;
}

double markSizeOf(SeriesKind kind)
{
    return kind == SeriesKind::Front || kind == SeriesKind::Baseline ? 8 : 12;
}

MarkShape markShapeOf(SeriesKind kind, std::size_t number)
{
    constexpr MarkShape baselines[] = {QScatterSeries::MarkerShapeTriangle,
                                       QScatterSeries::MarkerShapePentagon,
                                       QScatterSeries::MarkerShapeRectangle};
    constexpr MarkShape devices[] = {
        QScatterSeries::MarkerShapeRotatedRectangle, QScatterSeries::MarkerShapeTriangle,
        QScatterSeries::MarkerShapeRectangle, QScatterSeries::MarkerShapePentagon};
    switch (kind) {
    case SeriesKind::Front:
        return QScatterSeries::MarkerShapeCircle;
    case SeriesKind::Before:
        return QScatterSeries::MarkerShapeRectangle;
    case SeriesKind::Rewritten:
        return QScatterSeries::MarkerShapePentagon;
    case SeriesKind::After:
        return QScatterSeries::MarkerShapeStar;
    case SeriesKind::Measured:
        return devices[number % std::size(devices)];
    case SeriesKind::Baseline:
        break;
    }
    return baselines[number % std::size(baselines)];
}

Qt::PenStyle markDashOf(SeriesKind kind, std::size_t number)
{
    constexpr Qt::PenStyle baselines[] = {Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    // Series with the same shape have different dashes.
    const std::size_t dash = number + number / std::size(baselines);
    return kind == SeriesKind::Front ? Qt::SolidLine : baselines[dash % std::size(baselines)];
}

void drawMark(QPainter &painter, MarkShape shape, const QPointF &at, double size)
{
    const double r = size / 2;
    switch (shape) {
    case QScatterSeries::MarkerShapeCircle:
        painter.drawEllipse(at, r, r);
        break;
    case QScatterSeries::MarkerShapeRectangle:
        painter.drawRect(QRectF(at.x() - 0.9 * r, at.y() - 0.9 * r, 1.8 * r, 1.8 * r));
        break;
    case QScatterSeries::MarkerShapeTriangle:
        painter.drawPolygon(corners(3, 1.2 * r, 1.2 * r).translated(at));
        break;
    case QScatterSeries::MarkerShapePentagon:
        painter.drawPolygon(corners(5, 1.1 * r, 1.1 * r).translated(at));
        break;
    case QScatterSeries::MarkerShapeStar:
        painter.drawPolygon(corners(10, 1.4 * r, 0.6 * r).translated(at));
        break;
    case QScatterSeries::MarkerShapeRotatedRectangle:
        painter.drawPolygon(corners(4, 1.2 * r, 1.2 * r).translated(at));
        break;
    }
}

} // namespace graphloom
