// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/tuning_view.h"

#include "app/style/chart_style.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPixmap>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include <cmath>

namespace graphloom {

namespace {

constexpr double pointSize = 6, edgeSize = 8, reach = 9; // pixels

/// Sets the range and step in an order that never combines a small step with a long range.
void setAxis(QValueAxis &axis, double low, double high, double step)
{
    if (axis.tickInterval() != step || axis.tickAnchor() != low)
        axis.setTickInterval(std::max({step, high - low, axis.max() - axis.min()}));
    axis.setTickAnchor(low);
    axis.setRange(low, high);
    axis.setTickInterval(step);
}

/// Draws a shape around the origin at many places. On the screen these are copies of one picture:
/// thousands of shapes would take longer than a frame.
template <class Shape>
void drawMarks(QPainter &painter, const QList<QPointF> &places, const Shape &shape)
{
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {
        for (const QPointF &place : places) {
            painter.translate(place);
            shape(painter);
            painter.translate(-place);
        }
        return;
    }
    constexpr double side = edgeSize + 4; // with the edge of its outline
    const double scale = painter.device()->devicePixelRatioF() * painter.transform().m11();
    QPixmap mark(QSizeF(side * scale, side * scale).toSize());
    mark.setDevicePixelRatio(scale);
    mark.fill(Qt::transparent);
    QPainter inside(&mark);
    inside.setRenderHints(painter.renderHints());
    inside.setPen(painter.pen());
    inside.setBrush(painter.brush());
    inside.translate(side / 2, side / 2);
    shape(inside);
    inside.end();
    for (const QPointF &place : places)
        painter.drawPixmap(place - QPointF(side / 2, side / 2), mark);
}

} // namespace

TuningView::TuningView(QWidget *parent)
    : QChartView(parent), m_number(new QValueAxis), m_time(new QValueAxis),
      m_measured(new QScatterSeries), m_slower(new QScatterSeries), m_failed(new QScatterSeries),
      m_best(new QLineSeries), m_whole(new QLineSeries), m_earlier(new QLineSeries)
{
    setAccessibleName(tr("Tuning trials"));
    setObjectName(QStringLiteral("tuningView"));
    setMouseTracking(true);
    QChart *plot = chart();
    plot->addAxis(m_number, Qt::AlignBottom);
    plot->addAxis(m_time, Qt::AlignLeft);
    for (QValueAxis *axis : {m_number, m_time})
        axis->setTickType(QValueAxis::TicksDynamic);
    setUpChart(*this);
    m_number->setLabelFormat(QStringLiteral("%.0f"));
    m_number->setTitleText(tr("trial"));
    plot->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);

    m_measured->setName(tr("candidates"));
    m_slower->setName(tr("slower"));
    m_failed->setName(tr("failed"));
    m_best->setName(tr("best of its kernel"));
    m_whole->setName(tr("all kernels"));
    m_earlier->setName(tr("all kernels, tuned before"));
    m_slower->setMarkerShape(QScatterSeries::MarkerShapeRotatedRectangle);
    m_failed->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    m_measured->setMarkerSize(pointSize);
    m_slower->setMarkerSize(edgeSize);
    m_failed->setMarkerSize(edgeSize);
    for (QXYSeries *series : std::initializer_list<QXYSeries *>{m_measured, m_slower, m_failed,
                                                                m_earlier, m_whole, m_best}) {
        plot->addSeries(series);
        series->attachAxis(m_number);
        series->attachAxis(m_time);
    }
}

void TuningView::show(const TuningLog &log, std::optional<std::size_t> kernel,
                      const TuningLog &earlier)
{
    m_log = &log;
    show(tuningSeriesOf(log, kernel, mostPoints, earlier), !kernel);
}

void TuningView::show(const TuningSeries &series, bool all)
{
    m_series = series;
    m_all = all;
    m_best->replace(m_series.best);
    m_whole->replace(m_series.whole);
    m_earlier->replace(m_series.earlier);
    // Omit empty series from the legend.
    m_slower->setVisible(!m_series.slower.isEmpty());
    m_failed->setVisible(!m_series.failed.isEmpty());
    m_whole->setVisible(all);
    m_earlier->setVisible(!m_series.earlier.isEmpty());
    const double ended = m_series.earlier.isEmpty() ? 0 : m_series.earlier.back().x();
    const double last = std::max({10.0, double(m_series.trials.size()), ended});
    setAxis(*m_number, 0, last * 1.01, std::max(1.0, roundStep(last, 5)));
    setAxis(*m_time, m_series.low, m_series.high, m_series.step);
    m_time->setLabelFormat(QStringLiteral("%.%1f").arg(decimalsOf(m_series.step)));
    m_time->setTitleText(all ? tr("time, relative to the default") : tr("ms of one call"));
    viewport()->update();
}

ViewPicture TuningView::picture() const
{
    return chartPicture<TuningView>(
        accessibleName(), {},
        [series = m_series, all = m_all](TuningView &view) { view.show(series, all); });
}

void TuningView::setTheme(const Theme &theme)
{
    m_theme = theme;
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

void TuningView::paintSeries()
{
    const QColor text = m_theme->palette.color(QPalette::WindowText);
    const QColor cool = m_theme->series.front(), warm = m_theme->series.back();
    const auto paint = [](QScatterSeries &series, const QColor &inside, const QPen &pen) {
        series.setColor(inside);
        series.setBorderColor(pen.color());
        series.setPen(pen);
    };
    QColor translucent = cool; // so that dense areas stand out
    translucent.setAlphaF(0.65F);
    paint(*m_measured, translucent, QPen(Qt::NoPen));
    paint(*m_slower, Qt::transparent, QPen(translucent, 1.2));
    paint(*m_failed, m_theme->error, QPen(text, 0.7));
    m_best->setPen(QPen(warm, 1.8));
    m_whole->setPen(QPen(text, 1.8, Qt::DashLine));
    m_earlier->setPen(QPen(cool, 1.8, Qt::DotLine));
    viewport()->update();
}

QPointF TuningView::placeInScene(const QPointF &point) const
{
    return chart()->mapToScene(chart()->mapToPosition(point, m_measured));
}

/// Draws the points in the colours and shapes of the legend.
void TuningView::drawForeground(QPainter *painter, const QRectF &exposed)
{
    // Both axes are linear.
    const QPointF low(m_number->min(), m_time->min()), high(m_number->max(), m_time->max());
    const QPointF first = placeInScene(low), range = placeInScene(high) - first;
    const QPointF whole = high - low;
    const auto visible = [&](const QList<QPointF> &points) {
        QList<QPointF> places;
        for (const QPointF &point : points) {
            const QPointF share((point.x() - low.x()) / whole.x(),
                                (point.y() - low.y()) / whole.y());
            const QPointF place = first + QPointF(share.x() * range.x(), share.y() * range.y());
            if (exposed.adjusted(-edgeSize, -edgeSize, edgeSize, edgeSize).contains(place))
                places << place;
        }
        return places;
    };
    const auto draw = [&](const QScatterSeries &series, const QList<QPointF> &points,
                          const auto &shape) {
        painter->setPen(series.pen());
        painter->setBrush(series.color());
        drawMarks(*painter, visible(points), shape);
    };
    constexpr double half = edgeSize / 2;
    const auto polygon = [](const QPolygonF &shape) {
        return [shape](QPainter &to) { to.drawPolygon(shape); };
    };
    draw(*m_measured, m_series.measured,
         [](QPainter &to) { to.drawEllipse(QPointF(), pointSize / 2, pointSize / 2); });
    draw(*m_slower, m_series.slower, polygon({{0, -half}, {half, 0}, {0, half}, {-half, 0}}));
    draw(*m_failed, m_series.failed, polygon({{0, -half}, {half, half}, {-half, half}}));
    if (const auto point = m_marked ? pointOf(*m_marked) : std::nullopt; point && m_theme) {
        painter->setPen(QPen(m_theme->palette.color(QPalette::WindowText), 2));
        painter->setBrush(Qt::NoBrush);
        painter->drawEllipse(placeInScene(*point), pointSize, pointSize);
    }
}

std::optional<QPointF> TuningView::pointOf(std::size_t trial) const
{
    const auto shown = std::ranges::lower_bound(m_series.trials, trial);
    if (!m_log || shown == m_series.trials.end() || *shown != trial)
        return std::nullopt;
    const double x = double(shown - m_series.trials.begin() + 1);
    for (const QList<QPointF> *points : {&m_series.measured, &m_series.slower, &m_series.failed}) {
        const auto point = std::ranges::lower_bound(*points, x, {}, &QPointF::x);
        if (point != points->end() && point->x() == x)
            return *point;
    }
    return std::nullopt;
}

std::optional<QPoint> TuningView::placeOf(std::size_t trial) const
{
    const auto point = pointOf(trial);
    return point ? std::optional(mapFromScene(placeInScene(*point))) : std::nullopt;
}

std::optional<std::size_t> TuningView::trialAt(const QPoint &place) const
{
    std::optional<std::size_t> nearest;
    double least = reach * reach;
    const QPointF at = mapToScene(place);
    for (const QList<QPointF> *points : {&m_series.measured, &m_series.slower, &m_series.failed})
        for (const QPointF &point : *points) {
            const QPointF away = placeInScene(point) - at;
            if (const double distance = QPointF::dotProduct(away, away); distance < least) {
                least = distance;
                nearest = m_series.trials[std::size_t(point.x()) - 1];
            }
        }
    return nearest;
}

void TuningView::mark(std::optional<std::size_t> trial)
{
    if (std::exchange(m_marked, trial) != trial)
        viewport()->update();
}

void TuningView::mouseMoveEvent(QMouseEvent *event)
{
    const auto trial = trialAt(event->pos());
    setCursor(trial ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (trial)
        Q_EMIT hovered(int(*trial), event->globalPosition().toPoint());
    else
        QToolTip::hideText();
    QChartView::mouseMoveEvent(event);
}

void TuningView::mousePressEvent(QMouseEvent *event)
{
    if (const auto trial = trialAt(event->pos()); trial && event->button() == Qt::LeftButton)
        Q_EMIT chosen(int(*trial));
    QChartView::mousePressEvent(event);
}

} // namespace graphloom
