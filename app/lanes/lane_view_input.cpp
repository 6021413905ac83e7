// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input of the lanes.
#include "app/lanes/lane_text.h"
#include "app/lanes/lane_view.h"

#include <QMouseEvent>

#include <algorithm>

namespace graphloom {

bool LaneView::hover(const std::optional<QPoint> &place)
{
    const LanePicture::Hit hit = place ? m_picture.at(*place) : LanePicture::Hit();
    const auto barOf = [](const std::optional<LanePicture::Hit> &of) {
        return of && of->bar ? std::optional(of->bar->first) : std::nullopt;
    };
    const auto before = barOf(m_marks.hovered);
    m_marks.hovered = hit.bar ? std::optional(hit) : std::nullopt;
    if (before != barOf(m_marks.hovered))
        viewport()->update();
    return hit.bar.has_value();
}

void LaneView::click(const QPoint &place)
{
    if (const LanePicture::Hit hit = m_picture.at(place); hit.bar)
        choose(hit.bar->slice);
}

QString LaneView::textAt(const QPoint &place) const
{
    if (m_picture.isEmpty())
        return {};
    for (const LanePicture::Header &header : m_picture.headers())
        if (header.rect.contains(place) && m_picture.chart().top() <= place.y()) // may be cut off
            return headerText(m_picture.lanes().runs[header.run]);
    return textOf(m_picture.lanes(), m_picture.at(place));
}

void LaneView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (const LanePicture::Hit hit = m_picture.at(event->position()); hit.bar)
        Q_EMIT activated(int(hit.bar->slice));
}

void LaneView::choose(std::uint32_t slice)
{
    setCurrent(slice);
    Q_EMIT chosen(int(slice));
}

void LaneView::walk(int bySlices, int byLanes)
{
    const Lanes &lanes = *m_scene.lanes;
    const auto last = std::int64_t(lanes.lanes.size()) - 1;
    if (!m_marks.current) { // the first one in view
        for (std::int64_t lane = firstLane(); lane <= last; ++lane)
            if (const Lanes::Lane &of = lanes.lanes[std::size_t(lane)]; of.first < of.end)
                return choose(lanes.nearest(of, m_scene.from));
        return;
    }
    const std::uint32_t current = *m_marks.current;
    const Lanes::Slice &slice = lanes.slices[current];
    if (byLanes == 0) {
        const Lanes::Lane &lane = lanes.laneOf(slice);
        const auto next = std::clamp<std::int64_t>(std::int64_t(current) + bySlices, lane.first,
                                                   std::int64_t(lane.end) - 1);
        if (next != std::int64_t(current))
            choose(std::uint32_t(next));
        return;
    }
    // At the time in the middle of what is visible of the slice.
    const double time =
        (std::max(slice.start, m_scene.from) + std::min(slice.end(), m_scene.to)) / 2;
    for (std::int64_t lane = slice.lane + byLanes; lane >= firstLane() && lane <= last;
         lane += byLanes)
        if (const Lanes::Lane &of = lanes.lanes[std::size_t(lane)]; of.first < of.end)
            return choose(lanes.nearest(of, time));
}

double LaneView::middle() const
{
    if (m_marks.current) {
        const Lanes::Slice &slice = m_scene.lanes->slices[*m_marks.current];
        const double time = slice.start + slice.seconds / 2;
        if (time >= m_scene.from && time <= m_scene.to)
            return time;
    }
    return (m_scene.from + m_scene.to) / 2;
}

void LaneView::describeKeys()
{
    constexpr int many = 1 << 30;
    m_keys.add({Qt::Key_W, Qt::Key_Plus, Qt::Key_Equal}, tr("Zoom in"),
               [this](Qt::Key) { zoomBy(keyZoom, middle()); });
    m_keys.add({Qt::Key_S, Qt::Key_Minus}, tr("Zoom out"),
               [this](Qt::Key) { zoomBy(1 / keyZoom, middle()); });
    m_keys.add({Qt::Key_A, Qt::SHIFT | Qt::Key_Left}, tr("Scroll to the left"),
               [this](Qt::Key) { panBy(-panShare); });
    m_keys.add({Qt::Key_D, Qt::SHIFT | Qt::Key_Right}, tr("Scroll to the right"),
               [this](Qt::Key) { panBy(panShare); });
    m_keys.add({Qt::Key_F}, tr("Show the whole run"), [this](Qt::Key) { fit(); });
    m_keys.add({Qt::Key_Z}, tr("Zoom to the selected slice"), [this](Qt::Key) {
        if (m_marks.current)
            zoomTo(*m_marks.current);
    });
    m_keys.add({Qt::Key_Left, Qt::Key_Right}, tr("Select the previous or next slice of the thread"),
               [this](Qt::Key key) { walk(key == Qt::Key_Left ? -1 : 1, 0); });
    m_keys.add({Qt::Key_Up, Qt::Key_Down},
               tr("Select the slice of the thread above or below at the same time"),
               [this](Qt::Key key) { walk(0, key == Qt::Key_Up ? -1 : 1); });
    m_keys.add({Qt::Key_Home, Qt::Key_End}, tr("Select the first or last slice of the thread"),
               [this](Qt::Key key) { walk(key == Qt::Key_Home ? -many : many, 0); });
    m_keys.add({Qt::Key_Return, Qt::Key_Enter}, tr("Show the block in the graph"), [this](Qt::Key) {
        if (m_marks.current)
            Q_EMIT activated(int(*m_marks.current));
    });
    m_keys.addGesture(tr("Wheel"), tr("Zoom; with Shift, scroll"));
    m_keys.addGesture(tr("Drag"), tr("Scroll"));
    m_keys.addGesture(tr("Click"), tr("Select the block in the graph"));
    m_keys.addGesture(tr("Double click"), tr("Show the block in the graph"));
}

} // namespace graphloom
