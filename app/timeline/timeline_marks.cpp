// SPDX-License-Identifier: GPL-3.0-or-later
// Paints the marks on a timeline that follow the pointer and the selection.
#include "app/timeline/timeline_painter.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace graphloom {

namespace {

/// Returns the outline of a lifetime as it is drawn.
QPainterPath outlineOf(const TimelinePicture &picture, std::uint32_t tensor)
{
    QPainterPath path;
    const QRectF &chart = picture.chart();
    const MemoryTimeline &timeline = picture.timeline();
    const MemoryTimeline::Tensor &of = timeline.tensors[tensor];
    const TimelineWindow &window = picture.window();
    if (picture.scene().look.arena) {
        const auto edges = picture.edgesOf(tensor, ColumnIndex(0));
        if (!edges)
            return path;
        const double left = picture.xOf(timeline.beginOf(of.first, window.inTime));
        const double right = picture.xOf(timeline.beginOf(of.last + 1, window.inTime));
        path.addRect(QRectF(left, edges->second, right - left, edges->first - edges->second)
                         .intersected(chart.adjusted(-2, -2, 2, 2)));
        return path;
    }
    const TimelineBands &bands = picture.bands();
    const auto band = std::ranges::find(bands.bands, tensor, &TimelineBands::Band::tensor);
    if (band == bands.bands.end())
        return path;
    QPolygonF upper, lower;
    const std::vector<std::int64_t> under = bands.under(timeline, *band);
    for (const ColumnIndex c : IndexRange(band->first, band->last + 1)) {
        const std::uint32_t step = bands.steps[c];
        const double below = double(picture.base() + under[std::size_t(c - band->first)]);
        const double x = chart.left() + c.number() / picture.ratio(),
                     next = x + 1 / picture.ratio();
        const double top = picture.yOf(below + double(of.bytesAt(step)));
        upper << QPointF(x, top) << QPointF(next, top);
        lower << QPointF(x, picture.yOf(below)) << QPointF(next, picture.yOf(below));
    }
    std::reverse(lower.begin(), lower.end());
    path.addPolygon(upper + lower);
    path.closeSubpath();
    return path;
}

} // namespace

void paintMarks(QPainter &painter, const TimelinePicture &picture, const Theme &theme,
                const TimelineMarks &marks)
{
    if (picture.isEmpty())
        return;
    painter.save();
    const QRectF &chart = picture.chart();
    if (marks.cursor) {
        const double x = picture.xOfStep(*marks.cursor);
        if (x >= chart.left() && x <= chart.right()) {
            painter.setPen(QPen(theme.palette.color(QPalette::WindowText), 1, Qt::DotLine));
            painter.drawLine(QPointF(x, chart.top()), QPointF(x, chart.bottom()));
        }
    }
    painter.setClipRect(chart.adjusted(-2, -2, 2, 2));
    const auto outline = [&](std::uint32_t tensor, const QPen &around, const QPen &line) {
        const QPainterPath path = outlineOf(picture, tensor);
        for (const QPen &pen : {around, line})
            painter.strokePath(path, pen);
    };
    constexpr std::size_t most = 200;
    for (std::size_t i = 0; i < std::min(most, marks.selected.size()); ++i)
        outline(marks.selected[i], QPen(theme.palette.color(QPalette::Highlight), 4),
                QPen(theme.canvas.selection, 1.5));
    if (marks.hovered)
        outline(*marks.hovered, QPen(theme.palette.color(QPalette::Base), 2),
                QPen(theme.palette.color(QPalette::WindowText), 1));
    painter.restore();
}

} // namespace graphloom
