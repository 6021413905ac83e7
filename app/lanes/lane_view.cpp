// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the lanes; lane_view_input.cpp handles input.
#include "app/lanes/lane_view.h"

#include "app/lanes/lane_text.h"

#include <QScrollBar>

#include <algorithm>
#include <cmath>
#include <utility>

namespace graphloom {

LaneView::LaneView(QWidget *parent) : RangeView(tr("Kernel timeline"), parent)
{
    setObjectName(QStringLiteral("laneView"));
    setAccessibleName(tr("Kernel timeline"));
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    describeKeys();
}

void LaneView::setLanes(LanesPointer lanes)
{
    verticalScrollBar()->setValue(0);
    m_scene.lanes = std::move(lanes);
    m_scene.from = m_scene.to = m_scene.scrolled = 0;
    m_marks = {};
    refresh();
}

void LaneView::setColours(LaneColours colours)
{
    m_scene.colours = colours;
    refresh();
}

void LaneView::setBefore(bool before)
{
    const bool whole = isWhole();
    m_scene.before = before;
    if (whole)
        m_scene.from = m_scene.to = 0;
    if (m_marks.current && *m_marks.current < m_scene.lanes->lanes[firstLane()].first)
        m_marks.current.reset();
    refresh();
    if (!whole)
        showRange(m_scene.from, m_scene.to); // the axis may be shorter
}

void LaneView::setSelected(std::vector<std::vector<bool>> steps)
{
    m_marks.selected = std::move(steps);
    viewport()->update();
}

void LaneView::setCurrent(std::optional<std::uint32_t> slice)
{
    if (slice && (!m_scene.lanes || *slice >= m_scene.lanes->slices.size()))
        return;
    m_marks.current = slice;
    if (slice)
        scrollTo(*slice);
    setAccessibleDescription(slice ? textOf(*m_scene.lanes, *slice) : QString());
    viewport()->update();
}

void LaneView::zoomTo(std::uint32_t slice)
{
    constexpr double margin = 0.5; // of the slice, at both sides
    const Lanes::Slice &of = m_scene.lanes->slices[slice];
    const double around = margin * of.seconds;
    showRange(of.start - around, of.end() + around);
}

double LaneView::leastWidth() const
{
    return 1e-7; // clocks are not much finer
}

void LaneView::setRange(const Range &range)
{
    m_scene.from = range.from;
    m_scene.to = range.to;
    refresh();
}

std::uint32_t LaneView::firstLane() const
{
    return m_scene.lanes->runs[m_scene.firstRun()].firstLane;
}

void LaneView::refresh()
{
    m_picture = LanePicture(m_scene, viewport()->rect(), viewport()->font(),
                            viewport()->devicePixelRatioF());
    m_marks.hovered.reset(); // a bar of the picture before
    if (!m_picture.isEmpty()) {
        m_scene.from = m_picture.scene().from;
        m_scene.to = m_picture.scene().to;
    }
    updateVerticalBar();
    contentChanged();
}

void LaneView::updateVerticalBar()
{
    const int room = int(m_picture.chart().height());
    const int over =
        m_picture.isEmpty() ? 0 : std::max(0, int(std::ceil(m_picture.contentHeight())) - room);
    QScrollBar &bar = *verticalScrollBar();
    bar.setPageStep(std::max(1, room));
    bar.setSingleStep(std::max(1, room / 10));
    bar.setRange(0, over);
}

void LaneView::scrollContentsBy(int dx, int dy)
{
    if (dx != 0)
        RangeView::scrollContentsBy(dx, 0);
    if (dy != 0 && verticalScrollBar()->value() != int(m_scene.scrolled)) {
        m_scene.scrolled = verticalScrollBar()->value();
        refresh();
    }
}

void LaneView::scrollTo(std::uint32_t index)
{
    const Lanes::Slice &slice = m_scene.lanes->slices[index];
    const double width = m_scene.to - m_scene.from;
    if (slice.start < m_scene.from || slice.end() > m_scene.to) {
        // A slice longer than the view is shown from its start on.
        const double from =
            slice.start < m_scene.from || slice.seconds > width ? slice.start : slice.end() - width;
        if (slice.seconds <= width || slice.end() < m_scene.from || slice.start > m_scene.to)
            showRange(from, from + width);
    }
    const LanePicture::Row *row = m_picture.rowOf(slice.lane);
    if (!row)
        return;
    const QRectF &chart = m_picture.chart();
    QScrollBar &bar = *verticalScrollBar();
    if (row->rect.top() < chart.top())
        bar.setValue(bar.value() - int(std::ceil(chart.top() - row->rect.top())));
    else if (row->rect.bottom() > chart.bottom())
        bar.setValue(bar.value() + int(std::ceil(row->rect.bottom() - chart.bottom())));
}

void LaneView::resizeEvent(QResizeEvent *event)
{
    RangeView::resizeEvent(event);
    refresh();
}

void LaneView::paintContent(QPainter &painter, const Theme &theme) const
{
    paintLanes(painter, m_picture, theme);
}

void LaneView::paintOver(QPainter &painter, const Theme &theme) const
{
    paintMarks(painter, m_picture, theme, m_marks);
}

} // namespace graphloom
