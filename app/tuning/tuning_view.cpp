// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/tuning/tuning_view.h"

#include "app/style/chart_style.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMouseEvent>
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
    const auto begin = [&](const QScatterSeries &series) {
        painter->setPen(series.pen());
        painter->setBrush(series.color());
    };
    const auto each = [&](const QList<QPointF> &points, auto draw) {
        for (const QPointF &point : points)
            if (const QPointF place = placeInScene(point);
                exposed.adjusted(-edgeSize, -edgeSize, edgeSize, edgeSize).contains(place))
                draw(place);
    };
    begin(*m_measured);
    each(m_series.measured,
         [&](const QPointF &place) { painter->drawEllipse(place, pointSize / 2, pointSize / 2); });
    constexpr double half = edgeSize / 2;
    const auto polygon = [&](const QPolygonF &shape) {
        return [painter, shape](const QPointF &place) {
            painter->drawPolygon(shape.translated(place));
        };
    };
    begin(*m_slower);
    each(m_series.slower, polygon({{0, -half}, {half, 0}, {0, half}, {-half, 0}}));
    begin(*m_failed);
    each(m_series.failed, polygon({{0, -half}, {half, half}, {-half, half}}));
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
