// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/roofline_view.h"

#include "app/common/format.h"
#include "app/style/chart_style.h"

#include <QChart>
#include <QLegend>
#include <QLineSeries>
#include <QLogValueAxis>
#include <QScatterSeries>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace graphloom {

namespace {

constexpr double smallest = 7, largest = 15; // size of a point, in pixels

// Return the power of ten below or above a value, with room for half of a point.
double floored(double value)
{
    return std::pow(10, std::floor(std::log10(0.8 * value)));
}
double raised(double value)
{
    return std::pow(10, std::ceil(std::log10(1.25 * value)));
}

} // namespace

RooflineView::RooflineView(QWidget *parent)
    : QChartView(parent), m_intensity(new QLogValueAxis), m_speed(new QLogValueAxis)
{
    setAccessibleName(tr("Roofline"));
    setObjectName(QStringLiteral("roofline"));
    QChart *plot = chart();
    plot->addAxis(m_intensity, Qt::AlignBottom);
    plot->addAxis(m_speed, Qt::AlignLeft);
    for (QLogValueAxis *axis : {m_intensity, m_speed}) {
        axis->setBase(10);
        axis->setLabelFormat(QStringLiteral("%g"));
    }
    setUpChart(*this);
    m_intensity->setTitleText(tr("FLOP/byte"));
    m_speed->setTitleText(tr("GFLOP/s"));
    plot->legend()->hide(); // Qt's has other pens and sizes than the plot, and one row
}

void RooflineView::setRun(const PlanRunPointer &run)
{
    if (run == m_run)
        return;
    m_run = run;
    m_marked = -1;
    m_points.clear();
    m_roofs.clear();
    m_bins.fill(nullptr);
    m_mark = nullptr;
    chart()->removeAllSeries();
    if (run)
        addPoints();
    makeRoomForLegend();
}

/// Returns the series of kernels that take this part of the time of the longest one.
QScatterSeries *RooflineView::binOf(double part)
{
    constexpr int count = std::tuple_size_v<decltype(m_bins)>;
    const int bin = std::min(int(part * count), count - 1);
    QScatterSeries *&series = m_bins[std::size_t(bin)];
    if (!series) {
        series = new QScatterSeries;
        series->setMarkerSize(smallest + (largest - smallest) * bin / (count - 1));
    }
    return series;
}

void RooflineView::addPoints()
{
    double left = 1, right = 1, low = 10, high = 10;
    double most = 0;
    std::map<QScatterSeries *, QList<QPointF>> places;
    for (std::size_t step = 0; step < m_run->steps().size(); ++step)
        most = std::max(most, m_run->shareOf(step));
    for (std::size_t step = 0; step < m_run->steps().size(); ++step) {
        const double speed = m_run->flopsPerSecond(step) / 1e9;
        const double bytes = m_run->steps()[step].bytes;
        if (speed <= 0 || bytes <= 0)
            continue;
        const QPointF place(m_run->steps()[step].flops / bytes, speed);
        QScatterSeries *series = binOf(most > 0 ? m_run->shareOf(step) / most : 0);
        places[series] << place;
        m_points.push_back({step, place, series});
        left = std::min(left, place.x());
        right = std::max(right, place.x());
        low = std::min(low, speed);
        high = std::max(high, speed);
    }
    if (m_run->device) {
        high = std::max(high, m_run->device->peakFlops / 1e9);
        right = std::max(right, 2 * m_run->device->peakFlops / m_run->device->bandwidth);
    }
    left = floored(left);
    right = raised(right);
    if (m_run->device)
        addRoofs(left, right);
    QChart *plot = chart();
    for (std::size_t bin = 0; bin < m_bins.size(); ++bin)
        if (QScatterSeries *series = m_bins[bin]) {
            series->setName(
                tr("up to %1 of the time")
                    .arg(formatPercent(most * double(bin + 1) / double(m_bins.size()))));
            plot->addSeries(series);
            listenTo(series);
        }
    m_mark = new QScatterSeries; // around the selected point
    m_mark->setName(tr("selected"));
    m_mark->setMarkerSize(largest + 7);
    plot->addSeries(m_mark);
    for (QAbstractSeries *series : plot->series()) {
        series->attachAxis(m_intensity);
        series->attachAxis(m_speed);
    }
    m_intensity->setRange(left, right);
    m_speed->setRange(floored(low), raised(high));
    // Position and colour thousands of points only once, after all other data is known.
    paintSeries();
    for (const auto &[series, points] : places)
        series->replace(points);
}

/// Emits chosen() for clicks on points of the series, and explains points in tooltips.
void RooflineView::listenTo(QScatterSeries *series)
{
    connect(series, &QScatterSeries::clicked, this, [this, series](const QPointF &place) {
        if (const Point *point = at(place, series))
            Q_EMIT chosen(int(point->step));
    });
    connect(series, &QScatterSeries::hovered, this, [this, series](const QPointF &place, bool on) {
        const Point *point = on ? at(place, series) : nullptr;
        if (!point)
            return QToolTip::hideText();
        const PlanStep &step = m_run->steps()[point->step];
        QToolTip::showText(QCursor::pos(),
                           tr("%1\n%2 ms, %3 % of the time\n%4 GFLOP/s at %5 FLOP/byte, %6 GB/s")
                               .arg(fromUtf8(step.text),
                                    formatReal(m_run->timesOf(point->step).median),
                                    QString::number(100 * m_run->shareOf(point->step), 'f', 1),
                                    formatReal(point->place.y()), formatReal(point->place.x()),
                                    formatReal(m_run->bytesPerSecond(point->step) / 1e9)),
                           this);
    });
}

void RooflineView::addRoofs(double leftmost, double rightmost)
{
    const Device &device = *m_run->device;
    const double peak = device.peakFlops / 1e9;
    const auto slope = [&](double bandwidth, const QString &name, Qt::PenStyle style) {
        const double ridge = device.peakFlops / bandwidth;
        QList<QPointF> points{{leftmost, leftmost * bandwidth / 1e9}};
        if (ridge > leftmost)
            points << QPointF(std::min(ridge, rightmost),
                              std::min(ridge, rightmost) * bandwidth / 1e9);
        addRoof(name.arg(bandwidth / 1e9, 0, 'g', 3), points, style);
    };
    slope(device.bandwidth, tr("memory %1 GB/s"), Qt::SolidLine);
    slope(device.cacheBandwidth, tr("cache %1 GB/s"), Qt::DashLine);
    addRoof(
        tr("peak %1 GFLOP/s").arg(peak, 0, 'g', 3),
        {{std::max(leftmost, device.peakFlops / device.cacheBandwidth), peak}, {rightmost, peak}},
        Qt::DotLine);
}

QLineSeries *RooflineView::addRoof(const QString &name, const QList<QPointF> &points,
                                   Qt::PenStyle style)
{
    auto *series = new QLineSeries;
    series->setName(name);
    series->append(points);
    series->setPen(QPen(Qt::gray, 1.8, style));
    chart()->addSeries(series);
    m_roofs.push_back(series);
    return series;
}

void RooflineView::setTheme(const Theme &theme)
{
    m_theme = theme;
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

std::optional<ViewPicture> RooflineView::picture() const
{
    if (!m_run)
        return std::nullopt;
    QStringList notes;
    const Times &whole = m_run->outcome.after->whole;
    notes << tr("%1 ms per run (%2), %3 threads; larger and warmer points take more of the time")
                 .arg(formatReal(whole.median), m_run->provenance())
                 .arg(m_run->outcome.threads);
    if (const QString origin = m_run->origin(); !origin.isEmpty())
        notes << tr("measured %1").arg(origin);
    if (const QString text = note(); !text.isEmpty())
        notes << text;
    return chartPicture<RooflineView>(tr("Roofline of the kernels"), notes,
                                      [run = m_run](RooflineView &view) { view.setRun(run); });
}

void RooflineView::paintSeries()
{
    if (!m_theme || !m_mark)
        return;
    const QColor text = m_theme->palette.color(QPalette::WindowText);
    for (QLineSeries *series : m_roofs) {
        QPen pen = series->pen();
        pen.setColor(m_theme->series.front());
        series->setPen(pen);
    }
    for (std::size_t bin = 0; bin < m_bins.size(); ++bin)
        if (QScatterSeries *series = m_bins[bin]) {
            series->setColor(m_theme->heatOf(double(bin + 1) / double(m_bins.size())));
            series->setBorderColor(text);
            series->setPen(QPen(text, 0.7));
        }
    m_mark->setColor(Qt::transparent);
    m_mark->setBorderColor(text);
    m_mark->setPen(QPen(text, 2));
}

void RooflineView::mark(int step)
{
    if (!m_mark || std::exchange(m_marked, step) == step)
        return;
    m_mark->clear();
    for (const Point &point : m_points)
        if (int(point.step) == step)
            m_mark->append(point.place);
    viewport()->update(); // the legend, too
}

QFont RooflineView::legendFont() const
{
    return m_speed->labelsFont();
}

std::vector<RooflineEntry> RooflineView::legend(bool all) const
{
    const QMargins margins = chart()->margins();
    return legendOf(*chart(),
                    QRectF(margins.left(), 0, width() - margins.left() - margins.right(), height()),
                    legendFont(), all);
}

/// Makes room above the plot for all entries, so that the plot stays where it is when a point is
/// selected.
void RooflineView::makeRoomForLegend()
{
    QMargins margins = chart()->margins();
    margins.setTop(int(std::ceil(heightOf(legend(true)))));
    if (margins != chart()->margins())
        chart()->setMargins(margins);
    viewport()->update();
}

void RooflineView::drawForeground(QPainter *painter, const QRectF &)
{
    if (m_theme)
        paintLegend(*painter, legend(), legendFont(), *m_theme);
}

void RooflineView::resizeEvent(QResizeEvent *event)
{
    QChartView::resizeEvent(event);
    makeRoomForLegend();
}

const RooflineView::Point *RooflineView::at(const QPointF &place,
                                            const QScatterSeries *series) const
{
    const auto point = std::ranges::find_if(m_points, [&](const Point &candidate) {
        return candidate.series == series && candidate.place == place;
    });
    return point == m_points.end() ? nullptr : &*point;
}

std::optional<QPoint> RooflineView::placeOf(std::size_t step) const
{
    for (const Point &point : m_points)
        if (point.step == step)
            return mapFromScene(
                chart()->mapToScene(chart()->mapToPosition(point.place, point.series)));
    return std::nullopt;
}

QString RooflineView::note() const
{
    if (!m_run)
        return {};
    QStringList notes;
    if (const std::size_t without = m_run->steps().size() - m_points.size())
        notes << tr("Not plotted (no arithmetic or no kernel): %1").arg(without);
    if (!m_run->device)
        notes << tr("no roofline: %1").arg(fromUtf8(m_run->noDevice));
    else if (int(m_run->outcome.threads) < m_run->device->units)
        notes << tr("roofline of all %1 cores").arg(m_run->device->units);
    return notes.join(QStringLiteral(" · "));
}

} // namespace graphloom
