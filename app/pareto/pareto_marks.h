// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/pareto/pareto.h"

#include <QScatterSeries>

namespace graphloom {

// These functions tell how the series of a Pareto chart differ besides their colours. `number` is
// the position among the baselines, or among the series of measured runs.

using MarkShape = QScatterSeries::MarkerShape;

bool isHollowMark(ParetoSeries::Kind kind);
double markSizeOf(ParetoSeries::Kind kind); // pixels
MarkShape markShapeOf(ParetoSeries::Kind kind, std::size_t number);
Qt::PenStyle markDashOf(ParetoSeries::Kind kind, std::size_t number);
/// Draws a mark in the painter's pen and brush.
void drawMark(QPainter &painter, MarkShape shape, const QPointF &at, double size);

} // namespace graphloom
