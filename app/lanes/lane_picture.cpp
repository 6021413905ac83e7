// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_picture.h"

#include "app/lanes/lane_text.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr double sideGap = 4, rowGap = 2, runGap = 6, mostHeight = 34;

} // namespace

double LaneScene::end() const
{
    double end = 0;
    for (std::uint32_t run = firstRun(); run < lanes->runs.size(); ++run)
        end = std::max(end, lanes->runs[run].seconds);
    return end;
}

LanePicture::LanePicture(LaneScene scene, const QRectF &rect, const QFont &font, double ratio)
    : m_scene(std::move(scene)), m_font(font), m_ratio(ratio)
{
    if (isEmpty())
        return;
    if (m_scene.to <= m_scene.from) {
        m_scene.from = 0;
        m_scene.to = std::max(m_scene.end(), 1e-9);
    }
    const QFontMetricsF metrics(font);
    const double line = std::ceil(metrics.height());
    double left = 0;
    for (const Lanes::Lane &lane : lanes().lanes)
        left = std::max(left, metrics.horizontalAdvance(threadText(lane.thread)));
    m_left = rect.left() + 2 * sideGap;
    left = m_left + std::ceil(left) + sideGap;
    const double width = std::max(1.0, rect.right() - left - 2 * sideGap);
    m_ruler = QRectF(left, rect.top() + sideGap, width, line + 4);
    m_legend = QRectF(m_left, rect.bottom() - line - 2 - sideGap,
                      rect.right() - 2 * sideGap - m_left, line + 2);
    m_chart = QRectF(left, m_ruler.bottom(), width,
                     std::max(1.0, m_legend.top() - sideGap - m_ruler.bottom()));
    m_window = {true, m_scene.from, m_scene.to, std::max(1, int(std::round(width * ratio)))};
    placeRows(line);
}

void LanePicture::placeRows(double line)
{
    const std::uint32_t first = m_scene.firstRun();
    const auto runs = std::uint32_t(lanes().runs.size());
    const double headers = (line + runGap + rowGap) * (runs - first);
    const std::size_t count = lanes().lanes.size() - lanes().runs[first].firstLane;
    const double room = (m_chart.height() - headers) / double(count) - rowGap;
    const bool isTight = m_scene.leastHeight == 0 && room < 1; // no gaps then
    const double gap = isTight ? 0 : rowGap;
    const double height = isTight
                              ? std::max(0.01, room + rowGap)
                              : std::floor(std::clamp(room, m_scene.leastHeight,
                                                      std::max(mostHeight, m_scene.leastHeight)));
    const double top = m_chart.top() - m_scene.scrolled;
    double y = top;
    for (std::uint32_t run = first; run < runs; ++run) {
        y += runGap;
        m_headers.push_back({run, QRectF(m_left, y, m_chart.right() - m_left, line)});
        y += line + rowGap;
        for (std::uint32_t lane = lanes().runs[run].firstLane; lane < lanes().runs[run].endLane;
             ++lane) {
            Row row{lane, QRectF(m_chart.left(), y, m_chart.width(), height), {}};
            if (row.rect.intersects(m_chart))
                row.bars = barsOf(lanes(), lanes().lanes[lane], m_window);
            m_rows.push_back(std::move(row));
            y += height + gap;
        }
    }
    m_contentHeight = y - top;
}

std::size_t LanePicture::barCount() const
{
    std::size_t count = 0;
    for (const Row &row : m_rows)
        count += row.bars.size();
    return count;
}

const LanePicture::Row *LanePicture::rowOf(std::uint32_t lane) const
{
    const auto row = std::ranges::find(m_rows, lane, &Row::lane);
    return row == m_rows.end() ? nullptr : &*row;
}

double LanePicture::xOf(double time) const
{
    return m_chart.left() + m_window.column(time) / m_ratio;
}

double LanePicture::timeOf(double x) const
{
    return m_window.place((x - m_chart.left()) * m_ratio);
}

QRectF LanePicture::rectOf(const Row &row, const LaneBar &bar) const
{
    // On whole device pixels, so that neighbours neither overlap nor leave a seam.
    const double left = std::floor(bar.left), right = std::max(left + 1, std::floor(bar.right));
    return {m_chart.left() + left / m_ratio, row.rect.top(), (right - left) / m_ratio,
            row.rect.height()};
}

QRectF LanePicture::rectOf(const Row &row, double from, double to) const
{
    const double left = std::clamp(xOf(from), m_chart.left(), m_chart.right());
    const double right = std::clamp(xOf(to), left, m_chart.right());
    return {left, row.rect.top(), right - left, row.rect.height()};
}

LanePicture::Hit LanePicture::at(const QPointF &place) const
{
    constexpr double reach = 2; // pixels around a slice
    Hit hit;
    if (isEmpty() || !m_chart.adjusted(-reach, 0, reach, 0).contains(place))
        return hit;
    hit.time = timeOf(place.x());
    const auto row =
        std::ranges::find_if(m_rows, [&](const Row &of) { return of.rect.contains(place); });
    if (row == m_rows.end())
        return hit;
    hit.lane = row->lane;
    double nearest = reach + 1e-9;
    for (const LaneBar &bar : row->bars) {
        const QRectF rect = rectOf(*row, bar);
        const double distance = std::max({0.0, rect.left() - place.x(), place.x() - rect.right()});
        if (distance < nearest) {
            nearest = distance;
            hit.bar = bar;
        }
    }
    return hit;
}

} // namespace graphloom
