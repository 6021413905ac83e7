// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/tuning_view.h"

#include <QChart>
#include <QGraphicsLayout>
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

// Each point is an item of the scene: as many as there are pixels across say all there is to see.
constexpr std::size_t mostPoints = 800;
constexpr double pointSize = 6, edgeSize = 8, reach = 9; // pixels

/// Whole numbers that labels of the trials are apart, about five of them.
double stepOf(double trials)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(1.0, trials / 5))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (trials / 5 <= factor * power)
            return factor * power;
    return 10 * power;
}

int decimalsOf(double step)
{
    return std::max(0, int(-std::floor(std::log10(step) + 1e-9)));
}

} // namespace

TuningView::TuningView(QWidget *parent)
    : QChartView(parent), m_number(new QValueAxis), m_time(new QValueAxis),
      m_measured(new QScatterSeries), m_slower(new QScatterSeries), m_failed(new QScatterSeries),
      m_mark(new QScatterSeries), m_best(new QLineSeries), m_whole(new QLineSeries)
{
    setFrameShape(QFrame::NoFrame);
    setRenderHint(QPainter::Antialiasing);
    setAccessibleName(tr("Trials of the tuner"));
    setObjectName(QStringLiteral("tuningView"));
    setMouseTracking(true);
    QChart *plot = chart();
    plot->setAnimationOptions(QChart::NoAnimation);
    plot->setBackgroundRoundness(0);
    plot->setMargins(QMargins(4, 0, 10, 2));
    plot->layout()->setContentsMargins(0, 0, 0, 0);
    plot->addAxis(m_number, Qt::AlignBottom);
    plot->addAxis(m_time, Qt::AlignLeft);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    for (QValueAxis *axis : {m_number, m_time}) {
        axis->setTickType(QValueAxis::TicksDynamic);
        axis->setLabelsFont(small);
        axis->setTruncateLabels(false); // they are narrower than Qt reckons
        axis->setTitleFont(small);
    }
    m_number->setLabelFormat(QStringLiteral("%.0f"));
    m_number->setTitleText(tr("trial"));
    plot->legend()->setAlignment(Qt::AlignTop);
    plot->legend()->setFont(small);
    plot->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);

    m_measured->setName(tr("candidates"));
    m_slower->setName(tr("slower"));
    m_failed->setName(tr("failed"));
    m_best->setName(tr("best of its kernel"));
    m_whole->setName(tr("all kernels"));
    m_slower->setMarkerShape(QScatterSeries::MarkerShapeRotatedRectangle);
    m_failed->setMarkerShape(QScatterSeries::MarkerShapeTriangle);
    m_measured->setMarkerSize(pointSize);
    m_slower->setMarkerSize(edgeSize);
    m_failed->setMarkerSize(edgeSize);
    m_mark->setMarkerSize(pointSize + 8);
    for (QXYSeries *series : std::initializer_list<QXYSeries *>{m_measured, m_slower, m_failed,
                                                                m_whole, m_best, m_mark}) {
        plot->addSeries(series);
        series->attachAxis(m_number);
        series->attachAxis(m_time);
    }
    plot->legend()->markers(m_mark).front()->setVisible(false);
}

void TuningView::show(const TuningLog &log, std::optional<std::size_t> kernel)
{
    m_log = &log;
    m_kernel = kernel;
    m_series = tuningSeriesOf(log, kernel, mostPoints);
    m_measured->replace(m_series.measured);
    m_slower->replace(m_series.slower);
    m_failed->replace(m_series.failed);
    m_best->replace(m_series.best);
    m_whole->replace(m_series.whole);
    // What is not there has no place in the legend.
    m_slower->setVisible(!m_series.slower.isEmpty());
    m_failed->setVisible(!m_series.failed.isEmpty());
    m_whole->setVisible(!kernel);
    const double last = std::max<double>(10, double(m_series.trials.size()));
    m_number->setRange(0, last * 1.01);
    m_number->setTickInterval(stepOf(last));
    m_time->setTickAnchor(m_series.low);
    m_time->setTickInterval(m_series.step);
    m_time->setRange(m_series.low, m_series.high);
    m_time->setLabelFormat(QStringLiteral("%.%1f").arg(decimalsOf(m_series.step)));
    m_time->setTitleText(kernel ? tr("ms of one call") : tr("relative to the default"));
    placeMark();
}

void TuningView::setTheme(const Theme &theme)
{
    m_theme = theme;
    const QColor ground = theme.palette.color(QPalette::Base),
                 dim = theme.palette.color(QPalette::PlaceholderText);
    chart()->setBackgroundBrush(ground);
    chart()->setBackgroundPen(Qt::NoPen);
    setBackgroundBrush(ground);
    chart()->legend()->setLabelColor(theme.palette.color(QPalette::WindowText));
    for (QValueAxis *axis : {m_number, m_time}) {
        axis->setLabelsColor(dim);
        axis->setTitleBrush(dim);
        axis->setLinePenColor(theme.border);
        axis->setGridLineColor(theme.border);
    }
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
    QColor translucent = cool; // where many are, one sees that they are
    translucent.setAlphaF(0.65F);
    paint(*m_measured, translucent, QPen(Qt::NoPen));
    paint(*m_slower, Qt::transparent, QPen(translucent, 1.2));
    paint(*m_failed, m_theme->error, QPen(text, 0.7));
    paint(*m_mark, Qt::transparent, QPen(text, 2));
    m_best->setPen(QPen(warm, 1.8));
    m_whole->setPen(QPen(text, 1.8, Qt::DashLine));
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
    return point ? std::optional(mapFromScene(
                       chart()->mapToScene(chart()->mapToPosition(*point, m_measured))))
                 : std::nullopt;
}

std::optional<std::size_t> TuningView::trialAt(const QPoint &place) const
{
    std::optional<std::size_t> nearest;
    double least = reach * reach;
    const QPointF at = chart()->mapFromScene(mapToScene(place));
    for (const QList<QPointF> *points : {&m_series.measured, &m_series.slower, &m_series.failed})
        for (const QPointF &point : *points) {
            const QPointF away = chart()->mapToPosition(point, m_measured) - at;
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
        placeMark();
}

void TuningView::placeMark()
{
    const auto point = m_marked ? pointOf(*m_marked) : std::nullopt;
    m_mark->replace(point ? QList<QPointF>{*point} : QList<QPointF>());
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
