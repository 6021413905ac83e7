// SPDX-License-Identifier: GPL-3.0-or-later
// Painting of the chart.
#include "app/pareto/pareto_view.h"

#include "app/pareto/pareto_marks.h"

#include <QChart>
#include <QLineSeries>
#include <QScatterSeries>

namespace graphloom {

bool ParetoView::isHollow(const ParetoSeries &series) const
{
    return isHollowMark(series.kind) || m_data->hasTwin(series);
}

QColor ParetoView::colourOf(std::size_t series) const
{
    switch (m_data->series[series].kind) {
    case ParetoSeries::Kind::Front:
        return m_theme->series.front();
    case ParetoSeries::Kind::Measured:
        return m_theme->series[(m_theme->series.size() - 1 -
                                m_data->numberOfMeasured(series) % m_theme->series.size())];
    case ParetoSeries::Kind::Baseline:
        return m_theme->mappings[(m_data->meansOf(series) + 2) % m_theme->mappings.size()];
    default:
        return m_theme->palette.color(QPalette::WindowText);
    }
}

void ParetoView::paintSeries()
{
    if (!m_theme || !m_data)
        return;
    for (std::size_t s = 0; s < m_drawn.size(); ++s) {
        const QColor colour = colourOf(s);
        m_drawn[s].points->setColor(
            isHollow(m_data->series[s]) ? m_theme->palette.color(QPalette::Base) : colour);
        m_drawn[s].points->setBorderColor(colour);
        m_drawn[s].points->setPen(QPen(colour, 1.5));
        if (m_drawn[s].line) {
            QPen pen = m_drawn[s].line->pen();
            pen.setColor(colour);
            m_drawn[s].line->setPen(pen);
        }
    }
    viewport()->update();
}

/// Draws from the least latency of measured runs to their 95th percentile: a line with ends, or for
/// the bounds of a bracket, between which nothing is likelier, a bar.
void ParetoView::drawSpread(QPainter &painter, std::size_t series) const
{
    constexpr double half = 4; // pixels, of the ends and the bar
    constexpr double opacity = 0.35;
    const ParetoSeries &of = m_data->series[series];
    QColor colour = colourOf(series);
    for (const ParetoPoint &point : of.points) {
        if (!point.run || showsEnergy() || !isShown(of) || isLeftOut(of, point))
            continue;
        const double x = valueOf(of, point).x();
        const QPointF low = placeInScene({x, point.leastMs}),
                      high = placeInScene({x, point.mostMs});
        if (of.isBracket) {
            colour.setAlphaF(opacity);
            painter.fillRect(QRectF(high - QPointF(half, 0), low + QPointF(half, 0)), colour);
            continue;
        }
        painter.setPen(QPen(colour, 1.2));
        painter.drawLine(low, high);
        for (const QPointF &end : {low, high})
            painter.drawLine(end - QPointF(half, 0), end + QPointF(half, 0));
    }
}

void ParetoView::drawForeground(QPainter *painter, const QRectF &)
{
    if (!m_data || !m_theme)
        return;
    const QColor text = m_theme->palette.color(QPalette::WindowText);
    const QRectF area = chart()->mapRectToScene(chart()->plotArea());
    const auto limit = [&](double value, bool ofLatency, const QString &name) {
        const QPointF at = placeInScene(ofLatency ? QPointF(0, value) : QPointF(value, 0));
        painter->setPen(QPen(m_theme->error, 1.2, Qt::DashLine));
        const QLineF line = ofLatency ? QLineF(area.left(), at.y(), area.right(), at.y())
                                      : QLineF(at.x(), area.top(), at.x(), area.bottom());
        if (!area.adjusted(-1, -1, 1, 1).contains(line.p1()))
            return;
        painter->drawLine(line);
        painter->setPen(text);
        painter->drawText(ofLatency ? line.p2() + QPointF(-90, -3) : line.p1() + QPointF(3, 12),
                          name);
    };
    const auto before = [&]() -> const MemoryPoint * {
        for (const ParetoSeries &series : m_data->series)
            if (series.before)
                return &*series.before;
        return nullptr;
    }();
    if (m_latencyLimit && !showsEnergy() && (!showsRatios() || before))
        limit(showsRatios() ? *m_latencyLimit / before->ms : *m_latencyLimit, true,
              tr("latency limit"));
    if (m_memoryLimit && (!showsRatios() || before))
        limit(showsRatios() ? double(*m_memoryLimit) / double(before->peakBytes)
                            : double(*m_memoryLimit) / m_unit,
              false, tr("memory limit"));
    std::size_t number = 0;
    std::optional<QPointF> marked;
    for (std::size_t s = 0; s < m_data->series.size(); ++s) {
        const ParetoSeries &series = m_data->series[s];
        const QColor colour = colourOf(s);
        const bool hollow = isHollow(series);
        drawSpread(*painter, s);
        painter->setPen(QPen(hollow ? colour : text, hollow ? 2 : 0.7));
        painter->setBrush(hollow ? QBrush(m_theme->palette.color(QPalette::Base)) : QBrush(colour));
        for (const ParetoPoint &point : series.points) {
            if (isShown(series) && !isLeftOut(series, point)) {
                const QPointF at = placeInScene(valueOf(series, point));
                drawMark(*painter, m_drawn[s].points->markerShape(), at, markSizeOf(series.kind));
                if (m_marked == number)
                    marked = at;
            }
            ++number;
        }
    }
    if (marked) {
        painter->setBrush(Qt::NoBrush);
        painter->setPen(QPen(m_theme->palette.color(QPalette::Highlight), 4));
        painter->drawEllipse(*marked, 10, 10);
        painter->setPen(QPen(m_theme->canvas.selection, 1.5));
        painter->drawEllipse(*marked, 10, 10);
    }
}

} // namespace graphloom
