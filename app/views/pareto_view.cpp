// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/views/pareto_view.h"

#include "app/models/format.h"
#include "app/views/chart_style.h"

#include <QChart>
#include <QKeyEvent>
#include <QLegend>
#include <QLegendMarker>
#include <QLineSeries>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QToolTip>
#include <QValueAxis>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

using MarkShape = QScatterSeries::MarkerShape;
using SeriesKind = ParetoSeries::Kind;

constexpr double paretoReach = 9;   // pixels
constexpr double usualSlowdown = 3; // that is drawn at first
constexpr double mebibyte = 1024.0 * 1024.0, gibibyte = 1024 * mebibyte;

bool isHollow(SeriesKind kind)
{
    return kind == SeriesKind::Before || kind == SeriesKind::Measured;
}

double sizeOf(SeriesKind kind)
{
    return kind == SeriesKind::Before || kind == SeriesKind::After || kind == SeriesKind::Measured
               ? 12
               : 8;
}

/// `number`: among the baselines.
MarkShape shapeOf(SeriesKind kind, std::size_t number)
{
    constexpr MarkShape baselines[] = {QScatterSeries::MarkerShapeTriangle,
                                       QScatterSeries::MarkerShapePentagon,
                                       QScatterSeries::MarkerShapeRectangle};
    switch (kind) {
    case SeriesKind::Front:
        return QScatterSeries::MarkerShapeCircle;
    case SeriesKind::Before:
        return QScatterSeries::MarkerShapeRectangle;
    case SeriesKind::After:
        return QScatterSeries::MarkerShapeStar;
    case SeriesKind::Measured:
        return QScatterSeries::MarkerShapeRotatedRectangle;
    case SeriesKind::Baseline:
        break;
    }
    return baselines[number % std::size(baselines)];
}

Qt::PenStyle dashOf(SeriesKind kind, std::size_t number)
{
    constexpr Qt::PenStyle baselines[] = {Qt::DashLine, Qt::DotLine, Qt::DashDotLine};
    return kind == SeriesKind::Front ? Qt::SolidLine : baselines[number % std::size(baselines)];
}

QPolygonF corners(int count, double outer, double inner)
{
    QPolygonF shape;
    for (int i = 0; i < count; ++i) {
        const double angle = 2 * M_PI * i / count - M_PI / 2;
        shape << QPointF(std::cos(angle), std::sin(angle)) * (i % 2 == 0 ? outer : inner);
    }
    return shape;
}

void drawShape(QPainter &painter, MarkShape shape, const QPointF &at, double size)
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

/// A round number for what labels are apart, about five of them.
double roundStep(double range)
{
    const double power = std::pow(10, std::floor(std::log10(std::max(range / 5, 1e-12))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (range / 5 <= factor * power)
            return factor * power;
    return 10 * power;
}

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
               tr("To the next plan of the series with less or more memory"),
               [this](Qt::Key key) { walk(key == Qt::Key_Left ? -1 : 1); });
    m_keys.add({Qt::Key_Up, Qt::Key_Down}, tr("To another series"),
               [this](Qt::Key key) { walkSeries(key == Qt::Key_Up ? -1 : 1); });
    m_keys.add({Qt::Key_Return, Qt::Key_Enter}, tr("Load the plan"), [this](Qt::Key) {
        if (m_marked)
            Q_EMIT activated(int(*m_marked));
    });
    m_keys.addGesture(tr("Double click"), tr("Load the plan"));
}

QPointF ParetoView::valueOf(const ParetoSeries &series, const ParetoPoint &point) const
{
    if (m_ratios)
        return {double(point.bytes) / double(series.before->peakBytes),
                point.ms / series.before->ms};
    return {double(point.bytes) / m_unit, point.ms};
}

void ParetoView::setPoints(ParetoPointer points, bool same)
{
    const bool alike =
        m_data && points &&
        std::ranges::equal(m_data->series, points->series, [](const auto &a, const auto &b) {
            return a.kind == b.kind && a.name == b.name;
        });
    const bool marksFront = m_marked && m_data && points && same && *m_marked < m_data->size();
    const int front = marksFront ? m_data->point(*m_marked).front : -1;
    m_data = std::move(points);
    std::int64_t most = 0;
    for (std::size_t s = 0; m_data && s < m_data->series.size(); ++s)
        for (const ParetoPoint &point : m_data->series[s].points)
            most = std::max(most, point.bytes);
    const double unit = double(most) > 4 * gibibyte ? gibibyte : mebibyte;
    same = std::exchange(m_unit, unit) == unit && same;
    m_marked = front >= 0 ? m_data->numberOfFront(front) : std::nullopt;
    if (!alike)
        rebuild();
    updateLines();
    updateAxes(same);
    viewport()->update();
}

void ParetoView::setRatios(bool ratios)
{
    m_ratios = ratios;
    updateLines();
    updateAxes(false);
    viewport()->update();
}

void ParetoView::setWhole(bool whole)
{
    if (whole == m_whole)
        return;
    m_whole = whole;
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
    std::size_t baselines = 0;
    for (const ParetoSeries &series : m_data->series) {
        const std::size_t number = series.kind == SeriesKind::Baseline ? baselines++ : 0;
        Drawn drawn{new QScatterSeries, nullptr};
        drawn.points->setName(
            mixed && series.kind != SeriesKind::Measured
                ? tr("%1 (%2)").arg(series.name, fromUtf8(nameOf(series.provenance)))
                : series.name);
        drawn.points->setMarkerShape(shapeOf(series.kind, number));
        drawn.points->setMarkerSize(sizeOf(series.kind));
        chart()->addSeries(drawn.points);
        drawn.points->attachAxis(m_memory);
        drawn.points->attachAxis(m_latency);
        if (series.kind == SeriesKind::Front || series.kind == SeriesKind::Baseline) {
            drawn.line = new QLineSeries;
            drawn.line->setPen(QPen(Qt::gray, 1.4, dashOf(series.kind, number)));
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
            const QPointF value = valueOf(series, point);
            // Between two plans of a front there is what the slower one needs at the latency of
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
        m_ratios ? tr("peak memory, relative to before")
                 : (m_unit == gibibyte ? tr("peak memory (GiB)") : tr("peak memory (MiB)")));
    const std::set<Provenance> all = provenances();
    const QString provenance =
        all.size() == 1 ? fromUtf8(nameOf(*all.begin())) : tr("see the series");
    m_latency->setTitleText(m_ratios ? tr("latency, relative to before (%1)").arg(provenance)
                                     : tr("latency (ms, %1)").arg(provenance));
    if (!m_data || m_data->size() == 0)
        return;
    double left = 1e300, right = -1e300, low = 1e300, high = -1e300;
    for (const ParetoSeries &series : m_data->series) {
        if (!isShown(series))
            continue;
        for (const ParetoPoint &point : series.points) {
            if (isBeyond(series, point))
                continue;
            const QPointF value = valueOf(series, point);
            left = std::min(left, value.x());
            right = std::max(right, value.x());
            low = std::min(low, value.y());
            high = std::max(high, value.y());
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
        const double step = roundStep(to - from);
        from = std::floor(from / step) * step;
        to = std::ceil(to / step) * step;
        axis.setRange(from, to);
        axis.setTickCount(int(std::lround((to - from) / step)) + 1);
        const int decimals = std::max(0, int(-std::floor(std::log10(step) + 1e-9)));
        axis.setLabelFormat(QStringLiteral("%.%1f").arg(decimals));
    };
    set(*m_memory, left, right);
    set(*m_latency, low, high);
}

void ParetoView::setTheme(const Theme &theme)
{
    m_theme = theme;
    paintChart(*this, theme, QPalette::Base);
    paintSeries();
}

QColor ParetoView::colourOf(std::size_t series) const
{
    std::size_t baselines = 0;
    for (std::size_t s = 0; s < series; ++s)
        baselines += m_data->series[s].kind == SeriesKind::Baseline;
    switch (m_data->series[series].kind) {
    case SeriesKind::Front:
        return m_theme->series.front();
    case SeriesKind::Measured:
        return m_theme->series.back();
    case SeriesKind::Baseline:
        return m_theme->mappings[(baselines + 2) % m_theme->mappings.size()];
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
            isHollow(m_data->series[s].kind) ? m_theme->palette.color(QPalette::Base) : colour);
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

QPointF ParetoView::placeInScene(const QPointF &value) const
{
    const QRectF area = chart()->mapRectToScene(chart()->plotArea());
    const auto part = [](const QValueAxis &axis, double of) {
        return axis.max() > axis.min() ? (of - axis.min()) / (axis.max() - axis.min()) : 0;
    };
    return {area.left() + part(*m_memory, value.x()) * area.width(),
            area.bottom() - part(*m_latency, value.y()) * area.height()};
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
    if (m_latencyLimit && (!m_ratios || before))
        limit(m_ratios ? *m_latencyLimit / before->ms : *m_latencyLimit, true, tr("latency limit"));
    if (m_memoryLimit && (!m_ratios || before))
        limit(m_ratios ? double(*m_memoryLimit) / double(before->peakBytes)
                       : double(*m_memoryLimit) / m_unit,
              false, tr("memory limit"));
    std::size_t number = 0;
    std::optional<QPointF> marked;
    for (std::size_t s = 0; s < m_data->series.size(); ++s) {
        const ParetoSeries &series = m_data->series[s];
        const QColor colour = colourOf(s);
        const bool hollow = isHollow(series.kind);
        painter->setPen(QPen(hollow ? colour : text, hollow ? 2 : 0.7));
        painter->setBrush(hollow ? QBrush(m_theme->palette.color(QPalette::Base)) : QBrush(colour));
        for (const ParetoPoint &point : series.points) {
            if (isShown(series) && !isBeyond(series, point)) {
                const QPointF at = placeInScene(valueOf(series, point));
                drawShape(*painter, m_drawn[s].points->markerShape(), at, sizeOf(series.kind));
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
        isBeyond(m_data->seriesOf(number), m_data->point(number)))
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
            // The plan itself is one of the front; that is the one to be taken.
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
    lines << (series.kind == SeriesKind::Measured
                  ? tr("arena of %1").arg(formatBytes(double(point.bytes)))
                  : tr("peak of %1 (modelled)").arg(formatBytes(double(point.bytes))));
    if (series.before)
        lines << tr("latency × %1, memory × %2 of before")
                     .arg(point.ms / series.before->ms, 0, 'f', 3)
                     .arg(double(point.bytes) / double(series.before->peakBytes), 0, 'f', 3);
    if (!point.origin.isEmpty())
        lines << tr("by %1").arg(point.origin);
    return lines.join('\n');
}

void ParetoView::mouseMoveEvent(QMouseEvent *event)
{
    const auto number = numberAt(event->pos());
    setCursor(number ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if (number)
        QToolTip::showText(event->globalPosition().toPoint(), textOf(*number), this);
    else
        QToolTip::hideText();
    QChartView::mouseMoveEvent(event);
}

void ParetoView::mousePressEvent(QMouseEvent *event)
{
    if (const auto number = numberAt(event->pos()); number && event->button() == Qt::LeftButton) {
        mark(number);
        Q_EMIT chosen(int(*number));
    }
    QChartView::mousePressEvent(event);
}

void ParetoView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (const auto number = numberAt(event->pos()))
        Q_EMIT activated(int(*number));
}

/// To the next point of the series with less or more memory, or to the first one of all.
void ParetoView::walk(int by)
{
    if (!m_marked) {
        walkSeries(0);
        return;
    }
    const ParetoData::Place place = m_data->placeOf(*m_marked);
    const auto &points = m_data->series[place.series].points;
    std::optional<std::size_t> next;
    const auto distance = [&](std::size_t p) {
        return double(by) * double(points[p].bytes - points[place.point].bytes);
    };
    for (std::size_t p = 0; p < points.size(); ++p)
        if (distance(p) > 0 && (!next || distance(p) < distance(*next)))
            next = p;
    if (!next)
        return;
    mark(*m_marked - place.point + *next);
    Q_EMIT chosen(int(*m_marked));
}

/// To the first point of another series that is shown; 0: of the first one.
void ParetoView::walkSeries(int by)
{
    const auto count = int(m_data->series.size());
    int series = m_marked ? int(m_data->placeOf(*m_marked).series) : by < 0 ? count : -1;
    for (int i = 0; i < count; ++i) {
        series = (series + (by < 0 ? -1 : 1) + count) % count;
        const ParetoSeries &of = m_data->series[std::size_t(series)];
        if (!isShown(of) || of.points.empty())
            continue;
        std::size_t number = 0;
        for (int s = 0; s < series; ++s)
            number += m_data->series[std::size_t(s)].points.size();
        mark(number);
        Q_EMIT chosen(int(number));
        return;
    }
}

bool ParetoView::event(QEvent *event)
{
    if (event->type() == QEvent::ShortcutOverride && !isEmpty() &&
        m_keys.has(static_cast<const QKeyEvent &>(*event))) {
        event->accept();
        return true;
    }
    return QChartView::event(event);
}

void ParetoView::keyPressEvent(QKeyEvent *event)
{
    if (isEmpty() || !m_keys.handle(*event))
        QChartView::keyPressEvent(event);
}

} // namespace graphloom
