// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/timeline/timeline_picture.h"

#include "app/common/format.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double laneHeight = 9, laneGap = 3, gap = 4;
constexpr double leastBand = 1.5; // device pixels: thinner bands are summed up
constexpr double headroom = 1.07; // for markers above the peak
constexpr double laneReach = 3;   // pixels around a transfer

} // namespace

TimelinePicture::TimelinePicture(TimelineScene scene, const QRectF &rect, const QFont &font,
                                 double ratio)
    : m_scene(std::move(scene)), m_font(font), m_ratio(ratio)
{
    if (isEmpty())
        return;
    const MemoryTimeline &of = timeline();
    TimelineLook &look = m_scene.look;
    look.inTime = look.inTime && of.timed;
    const double end = std::max(
        of.beginOf(of.stepCount(), look.inTime),
        m_scene.compared ? m_scene.compared->beginOf(m_scene.compared->stepCount(), look.inTime)
                         : 0);
    if (look.to <= look.from) {
        look.from = 0;
        look.to = std::max(end, 1e-9);
    }
    m_base = look.weights ? of.residentBytes : 0;
    std::int64_t most = of.peakBytes - of.residentBytes + m_base;
    if (look.arena && of.arenaBytes)
        most = std::max(most, *of.arenaBytes + m_base);
    if (const TimelinePointer &other = m_scene.compared)
        most = std::max(most, std::int64_t(shown(other->peakBytes, other->residentBytes)));
    m_most = std::max(1.0, headroom * double(most));

    const QFontMetricsF metrics(font);
    const double line = std::ceil(metrics.height());
    const bool again = std::ranges::any_of(of.steps, &MemoryTimeline::Step::again);
    const int lanes = (of.transfers.empty() ? 0 : 2) + (again ? 1 : 0);
    const double left = std::ceil(metrics.horizontalAdvance(QStringLiteral("00000 MiB "))) + gap;
    m_legend = QRectF(rect.left() + left, rect.top() + gap, rect.width() - left - gap, line + 2);
    const double bottom = line + 2 * gap + lanes * (laneHeight + laneGap);
    m_chart = QRectF(rect.left() + left, m_legend.bottom() + gap, rect.width() - left - 2 * gap,
                     rect.bottom() - bottom - m_legend.bottom() - gap);
    m_chart.setWidth(std::max(1.0, m_chart.width()));
    m_chart.setHeight(std::max(1.0, m_chart.height()));
    double y = m_chart.bottom() + laneGap;
    const auto lane = [&] {
        const QRectF at(m_chart.left(), y, m_chart.width(), laneHeight);
        y += laneHeight + laneGap;
        return at;
    };
    if (!of.transfers.empty()) {
        m_stores = lane();
        m_loads = lane();
    }
    if (again)
        m_repeats = lane();

    TimelineWindow window{look.inTime, look.from, look.to,
                          std::max(1, int(std::round(m_chart.width() * ratio)))};
    const double leastBytes = leastBand * m_most / (m_chart.height() * ratio);
    m_bands = bandsOf(of, window, std::int64_t(std::ceil(leastBytes)), m_scene.marked);
    if (m_scene.compared)
        m_compared = stepsOf(*m_scene.compared, window);
}

double TimelinePicture::shown(std::int64_t bytes, std::int64_t resident) const
{
    return double(m_scene.look.weights ? bytes : bytes - resident);
}

double TimelinePicture::xOf(double place) const
{
    return m_chart.left() + m_bands.window.column(place) / m_ratio;
}

double TimelinePicture::placeOf(double x) const
{
    return m_bands.window.place((x - m_chart.left()) * m_ratio);
}

double TimelinePicture::yOf(double bytes) const
{
    return m_chart.bottom() - bytes / m_most * m_chart.height();
}

double TimelinePicture::bytesAt(double y) const
{
    return (m_chart.bottom() - y) / m_chart.height() * m_most;
}

double TimelinePicture::xOfStep(std::uint32_t step) const
{
    const bool inTime = m_bands.window.inTime;
    return xOf((timeline().beginOf(step, inTime) + timeline().beginOf(step + 1, inTime)) / 2);
}

ColumnIndex TimelinePicture::columnAt(double x) const
{
    return ColumnIndex(int(std::floor((x - m_chart.left()) * m_ratio)));
}

std::optional<std::pair<double, double>> TimelinePicture::edgesOf(std::uint32_t tensor,
                                                                  ColumnIndex column) const
{
    const MemoryTimeline::Tensor &of = timeline().tensors[tensor];
    if (m_scene.look.arena) {
        if (of.offset < 0)
            return std::nullopt;
        const double below = double(m_base + of.offset);
        return std::pair(yOf(below), yOf(below + double(of.bytes)));
    }
    const auto band = std::ranges::find(m_bands.bands, tensor, &TimelineBands::Band::tensor);
    if (band == m_bands.bands.end() || column < band->first || band->last < column)
        return std::nullopt;
    const double below = double(m_base + m_bands.under(timeline(), *band, column));
    const std::uint32_t step = m_bands.steps[column];
    return std::pair(yOf(below), yOf(below + double(of.bytesAt(step))));
}

TimelinePicture::Hit TimelinePicture::at(const QPointF &place) const
{
    if (isEmpty() || place.x() < m_chart.left() || place.x() > m_chart.right())
        return {};
    const MemoryTimeline &of = timeline();
    const double onAxis = placeOf(place.x());
    const std::uint32_t step = of.stepAt(onAxis, m_bands.window.inTime);
    if (m_stores.contains(place) || m_loads.contains(place)) {
        const bool load = m_loads.contains(place);
        const double reach = placeOf(place.x() + laneReach) - onAxis;
        for (std::uint32_t t = 0; t < of.transfers.size(); ++t) {
            const MemoryTimeline::Transfer &transfer = of.transfers[t];
            const bool inTime = m_bands.window.inTime;
            const double from = inTime ? transfer.startMs : transfer.first;
            const double to = inTime ? transfer.endMs : transfer.last + 1;
            if (transfer.load == load && from - reach <= onAxis && onAxis <= to + reach)
                return {Hit::Kind::Transfer, t, step};
        }
        return {Hit::Kind::Step, 0, step};
    }
    if (m_chart.contains(place))
        return inChart(place, step);
    return m_repeats.contains(place) ? Hit{Hit::Kind::Step, 0, step} : Hit{};
}

TimelinePicture::Hit TimelinePicture::inChart(const QPointF &place, std::uint32_t step) const
{
    const MemoryTimeline &of = timeline();
    const ColumnIndex column =
        std::clamp(columnAt(place.x()), ColumnIndex(0), m_bands.window.lastColumn());
    const double bytes = bytesAt(place.y()) - double(m_base);
    if (bytes < 0)
        return {Hit::Kind::Weights, 0, step};
    if (m_scene.look.arena) {
        for (std::uint32_t t = 0; t < of.tensors.size(); ++t) {
            const MemoryTimeline::Tensor &tensor = of.tensors[t];
            if (tensor.first <= step && step <= tensor.last && tensor.offset >= 0 &&
                bytes >= double(tensor.offset) && bytes < double(tensor.offset + tensor.bytes))
                return {Hit::Kind::Tensor, t, step};
        }
        return {Hit::Kind::Step, 0, step};
    }
    const std::uint32_t shownStep = m_bands.steps[column];
    if (const TimelineBands::Band *band = m_bands.at(of, column, bytes))
        return {Hit::Kind::Tensor, band->tensor, shownStep};
    if (bytes < double(of.steps[shownStep].bytes - of.residentBytes))
        return {Hit::Kind::Others, 0, shownStep};
    return {Hit::Kind::Step, 0, shownStep};
}

std::vector<std::uint32_t> TimelinePicture::aliveAt(std::uint32_t step) const
{
    const MemoryTimeline &of = timeline();
    std::vector<std::uint32_t> alive;
    for (const std::uint32_t t : of.stack)
        if (of.tensors[t].first <= step && step <= of.tensors[t].last && of.tensors[t].bytes > 0)
            alive.push_back(t);
    if (m_scene.look.arena)
        std::ranges::stable_sort(alive, {}, [&](std::uint32_t t) { return of.tensors[t].offset; });
    return alive;
}

} // namespace graphloom
