// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the chart; pareto_view_painting.cpp paints it, pareto_view_input.cpp handles input.
#include "app/pareto/pareto_view.h"

#include "app/common/format.h"
#include "app/pareto/pareto_marks.h"
#include "app/style/chart_style.h"

#include <QChart>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QScatterSeries>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

using SeriesKind = ParetoSeries::Kind;

constexpr double paretoReach = 9;   // pixels
constexpr double usualSlowdown = 3; // initial range of the axis
constexpr double mebibyte = 1024.0 * 1024.0, gibibyte = 1024 * mebibyte;

} // namespace

ParetoView::ParetoView(QWidget *parent)
    : QChartView(parent), m_latency(new QValueAxis), m_memory(new QValueAxis)
{
    setAccessibleName(tr("Latency over peak memory"));
    setObjectName(QStringLiteral("paretoView"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    chart()->addAxis(m_memory, Qt::AlignBottom);
    chart()->addAxis(m_latency, Qt::AlignLeft);
    setUpChart(*this);
    chart()->legend()->setMarkerShape(QLegend::MarkerShapeFromSeries);
    m_keys.add({Qt::Key_Left, Qt::Key_Right},
               tr("Select the plan of the series with the next smaller or larger memory"),
               [this](Qt::Key key) { walk(key == Qt::Key_Left ? -1 : 1); });
    m_keys.add({Qt::Key_Up, Qt::Key_Down}, tr("Select another series"),
               [this](Qt::Key key) { walkSeries(key == Qt::Key_Up ? -1 : 1); });
    m_keys.add({Qt::Key_Return, Qt::Key_Enter}, tr("Apply the plan"), [this](Qt::Key) {
        if (m_marked)
            Q_EMIT activated(int(*m_marked));
    });
    m_keys.addGesture(tr("Double click"), tr("Apply the plan"));
}

QPointF ParetoView::valueOf(const ParetoSeries &series, const ParetoPoint &point) const
{
    constexpr double milli = 1e3;
    switch (m_axes) {
    case Axes::Ratios:
        return {double(point.bytes) / double(series.before->peakBytes),
                point.ms / series.before->ms};
    case Axes::Energy:
        return {double(point.bytes) / m_unit, milli * point.joules};
    default:
        return {double(point.bytes) / m_unit, point.ms};
    }
}

bool ParetoView::isShown(const ParetoSeries &series) const
{
    const auto isKnown = [](const ParetoPoint &point) { return point.joules > 0; };
    return showsEnergy() ? std::ranges::any_of(series.points, isKnown)
                         : !showsRatios() || series.before;
}

std::size_t ParetoView::numberOf(std::size_t series) const
{
    switch (m_data->series[series].kind) {
    case SeriesKind::Baseline:
        return m_data->meansOf(series);
    case SeriesKind::Measured:
        return m_data->numberOfMeasured(series);
    default:
        return 0;
    }
}

void ParetoView::setPoints(ParetoPointer points, bool same)
{
    const bool alike =
        m_data && points &&
        std::ranges::equal(m_data->series, points->series, [](const auto &a, const auto &b) {
            return a.kind == b.kind && a.name == b.name;
        });
    const bool keepsMark = m_marked && m_data && points && same && *m_marked < m_data->size();
    const int front = keepsMark ? m_data->point(*m_marked).front : -1;
    const PlanRunPointer run = keepsMark ? m_data->point(*m_marked).run : nullptr;
    m_data = std::move(points);
    std::int64_t most = 0;
    for (std::size_t s = 0; m_data && s < m_data->series.size(); ++s)
        for (const ParetoPoint &point : m_data->series[s].points)
            most = std::max(most, point.bytes);
    const double unit = double(most) > 4 * gibibyte ? gibibyte : mebibyte;
    same = std::exchange(m_unit, unit) == unit && same;
    m_marked = front >= 0 ? m_data->numberOfFront(front)
               : run      ? m_data->numberOfRun(run)
                          : std::nullopt;
    if (!alike)
        rebuild();
    updateLines();
    updateAxes(same);
    viewport()->update();
}

void ParetoView::setRatios(bool ratios)
{
    setAxes(ratios ? Axes::Ratios : Axes::Absolute);
}

void ParetoView::setEnergy(bool energy)
{
    setAxes(energy ? Axes::Energy : Axes::Absolute);
}

void ParetoView::setAxes(Axes axes)
{
    m_axes = axes;
    updateLines();
    updateAxes(false);
    viewport()->update();
}

void ParetoView::setWhole(bool whole)
{
    if (whole == m_whole)
        return;
    m_whole = whole;
    updateLines();
    updateAxes(false);
    viewport()->update();
}

bool ParetoView::isBeyond(const ParetoSeries &series, const ParetoPoint &point) const
{
    return !m_whole && series.before && point.ms > usualSlowdown * series.before->ms;
}

std::size_t ParetoView::beyond() const
{
    std::size_t count = 0;
    for (std::size_t s = 0; m_data && s < m_data->series.size(); ++s)
        for (const ParetoPoint &point : m_data->series[s].points)
            count += isBeyond(m_data->series[s], point);
    return count;
}

void ParetoView::setLimits(std::optional<double> ms, std::optional<std::int64_t> bytes)
{
    if (ms == m_latencyLimit && bytes == m_memoryLimit)
        return;
    m_latencyLimit = ms;
    m_memoryLimit = bytes;
    updateAxes(true);
    viewport()->update();
}

std::set<Provenance> ParetoView::provenances() const
{
    std::set<Provenance> all;
    for (std::size_t s = 0; m_data && s < m_data->series.size(); ++s)
        if (isShown(m_data->series[s]))
            all.insert(m_data->series[s].provenance);
    return all;
}

void ParetoView::rebuild()
{
    chart()->removeAllSeries();
    m_drawn.clear();
    if (!m_data)
        return;
    const bool mixed = provenances().size() > 1;
    for (std::size_t s = 0; s < m_data->series.size(); ++s) {
        const ParetoSeries &series = m_data->series[s];
        const std::size_t number = numberOf(s);
        Drawn drawn{new QScatterSeries, nullptr};
        drawn.points->setName(
            mixed && series.kind != SeriesKind::Measured
                ? tr("%1 (%2)").arg(series.name, fromUtf8(nameOf(series.provenance)))
                : series.name);
        drawn.points->setMarkerShape(markShapeOf(series.kind, number));
        drawn.points->setMarkerSize(markSizeOf(series.kind));
        chart()->addSeries(drawn.points);
        drawn.points->attachAxis(m_memory);
        drawn.points->attachAxis(m_latency);
        // The legend lists only one of two series that look alike.
        QLegendMarker *marker = chart()->legend()->markers(drawn.points).front();
        if (m_data->hasTwin(series))
            marker->setVisible(false);
        else if (series.onRewritten && !mixed)
            marker->setLabel(series.means);
        if (series.kind == SeriesKind::Front || series.kind == SeriesKind::Baseline) {
            drawn.line = new QLineSeries;
            drawn.line->setPen(QPen(Qt::gray, 1.4, markDashOf(series.kind, number)));
            chart()->addSeries(drawn.line);
            drawn.line->attachAxis(m_memory);
            drawn.line->attachAxis(m_latency);
            chart()->legend()->markers(drawn.line).front()->setVisible(false);
        }
        m_drawn.push_back(drawn);
    }
    paintSeries();
}

void ParetoView::updateLines()
{
    for (std::size_t s = 0; m_data && s < m_drawn.size(); ++s) {
        const ParetoSeries &series = m_data->series[s];
        const bool shown = isShown(series);
        m_drawn[s].points->setVisible(shown);
        if (!m_drawn[s].line)
            continue;
        QList<QPointF> line;
        for (const ParetoPoint &point : series.points) {
            if (!shown)
                break;
            if (isLeftOut(series, point)) // SVG files are not clipped
                continue;
            const QPointF value = valueOf(series, point);
            // Between two plans of a front, draw the memory of the slower one up to the latency of
            // the faster one: a corner.
            if (series.kind == SeriesKind::Front && !line.isEmpty())
                line << QPointF(line.back().x(), value.y());
            line << value;
        }
        m_drawn[s].line->replace(line);
    }
}

void ParetoView::updateAxes(bool grow)
{
    m_memory->setTitleText(
        showsRatios() ? tr("peak memory, relative to before")
                      : (m_unit == gibibyte ? tr("peak memory (GiB)") : tr("peak memory (MiB)")));
    const std::set<Provenance> all = provenances();
    const QString provenance =
        all.size() == 1 ? fromUtf8(nameOf(*all.begin())) : tr("see the series");
    m_latency->setTitleText((showsEnergy()   ? tr("energy of a run (mJ, %1)")
                             : showsRatios() ? tr("latency, relative to before (%1)")
                                             : tr("latency (ms, %1)"))
                                .arg(provenance));
    if (!m_data || m_data->size() == 0)
        return;
    double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
    for (const ParetoSeries &series : m_data->series) {
        if (!isShown(series))
            continue;
        for (const ParetoPoint &point : series.points) {
            if (isLeftOut(series, point))
                continue;
            const QPointF value = valueOf(series, point);
            left = std::min(left, value.x());
            right = std::max(right, value.x());
            const bool hasSpread = point.run && !showsEnergy();
            low = std::min(low, hasSpread ? point.leastMs : value.y());
            high = std::max(high, hasSpread ? point.mostMs : value.y());
        }
    }
    if (right < left)
        return;
    const auto set = [&](QValueAxis &axis, double from, double to) {
        const double margin = std::max((to - from) * 0.03, to * 0.01);
        from = std::max(0.0, from - margin);
        to += margin;
        if (grow && axis.min() <= from && to <= axis.max())
            return;
        if (grow && axis.max() > axis.min() && axis.max() > to * 0.3) {
            from = std::min(from, axis.min());
            to = std::max(to, axis.max());
        }
        const double step = roundStep(to - from, 5);
        from = std::floor(from / step) * step;
        to = std::ceil(to / step) * step;
        axis.setRange(from, to);
        axis.setTickCount(int(std::lround((to - from) / step)) + 1);
        axis.setLabelFormat(QStringLiteral("%.%1f").arg(decimalsOf(step)));
    };
    set(*m_memory, left, right);
    set(*m_latency, low, high);
}

std::optional<ViewPicture> ParetoView::picture() const
{
    if (!m_data || m_data->size() == 0)
        return std::nullopt;
    QStringList notes;
    if (!m_data->device.isEmpty())
        notes << tr("modelled for %1").arg(m_data->device);
    if (const std::size_t slower = beyond())
        notes << tr("%1 plans that are more than %2 times slower are not shown")
                     .arg(slower)
                     .arg(usualSlowdown);
    return chartPicture<ParetoView>(showsEnergy() ? tr("Energy and peak memory of plans")
                                                  : tr("Latency and peak memory of plans"),
                                    notes,
                                    [data = m_data, axes = m_axes, whole = m_whole,
                                     ms = m_latencyLimit, bytes = m_memoryLimit](ParetoView &view) {
                                        view.setAxes(axes);
                                        view.setWhole(whole);
                                        view.setPoints(data, false);
                                        view.setLimits(ms, bytes);
                                    });
}

void ParetoView::setTheme(const Theme &theme)
{
    m_theme = theme;
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

QPointF ParetoView::placeInScene(const QPointF &value) const
{
    const QRectF area = chart()->mapRectToScene(chart()->plotArea());
    const auto part = [](const QValueAxis &axis, double of) {
        return axis.max() > axis.min() ? (of - axis.min()) / (axis.max() - axis.min()) : 0;
    };
    return {area.left() + part(*m_memory, value.x()) * area.width(),
            area.bottom() - part(*m_latency, value.y()) * area.height()};
}

void ParetoView::mark(std::optional<std::size_t> number)
{
    if (m_marked == number)
        return;
    m_marked = number;
    if (number && m_data && *number < m_data->size() &&
        isBeyond(m_data->seriesOf(*number), m_data->point(*number)))
        Q_EMIT wholeNeeded();
    setAccessibleDescription(number && m_data && *number < m_data->size() ? textOf(*number)
                                                                          : QString());
    viewport()->update();
}

std::optional<QPoint> ParetoView::placeOf(std::size_t number) const
{
    if (!m_data || number >= m_data->size() || !isShown(m_data->seriesOf(number)) ||
        isLeftOut(m_data->seriesOf(number), m_data->point(number)))
        return std::nullopt;
    return mapFromScene(placeInScene(valueOf(m_data->seriesOf(number), m_data->point(number))));
}

std::optional<std::size_t> ParetoView::numberAt(const QPoint &place) const
{
    std::optional<std::size_t> nearest;
    double least = paretoReach * paretoReach;
    for (std::size_t number = 0; m_data && number < m_data->size(); ++number)
        if (const auto at = placeOf(number)) {
            const QPointF away = QPointF(*at - place);
            // The plan itself is on the front; choose that point.
            if (const double distance = QPointF::dotProduct(away, away); distance < least) {
                least = distance;
                nearest = number;
            }
        }
    return nearest;
}

QString ParetoView::textOf(std::size_t number) const
{
    const ParetoSeries &series = m_data->seriesOf(number);
    const ParetoPoint &point = m_data->point(number);
    QStringList lines{series.name};
    lines << tr("%1 ms (%2)").arg(formatReal(point.ms), fromUtf8(nameOf(series.provenance)));
    if (point.run)
        lines << (series.isBracket ? tr("between %1 and %2 ms")
                                   : tr("least %1 ms, 95 % below %2 ms"))
                     .arg(formatReal(point.leastMs), formatReal(point.mostMs));
    if (point.joules > 0)
        lines << tr("%1 mJ a run (%2)")
                     .arg(formatReal(1e3 * point.joules),
                          fromUtf8(point.run->outcome.after->energyOf));
    const bool isMeasured = series.kind == SeriesKind::Measured;
    const QString bytes = formatBytes(double(point.bytes));
    lines << (!isMeasured         ? tr("peak of %1 (modelled)").arg(bytes)
              : series.hasWeights ? tr("arena and weights of %1").arg(bytes)
                                  : tr("arena of %1").arg(bytes));
    if (series.before)
        lines << tr("latency × %1, memory × %2 of the original")
                     .arg(point.ms / series.before->ms, 0, 'f', 3)
                     .arg(double(point.bytes) / double(series.before->peakBytes), 0, 'f', 3);
    if (series.rewritten)
        lines << tr("latency × %1 of the fastest rewritten graph")
                     .arg(point.ms / series.rewritten->ms, 0, 'f', 3);
    if (!point.origin.isEmpty())
        lines << (isMeasured ? point.origin : tr("found by %1").arg(point.origin));
    return lines.join('\n');
}

} // namespace graphloom
