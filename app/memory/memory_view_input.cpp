// SPDX-License-Identifier: GPL-3.0-or-later
// Mouse and keyboard input of the timeline.
#include "app/memory/memory_view.h"

#include <QMouseEvent>

#include <algorithm>
#include <utility>

namespace graphloom {

void MemoryView::mouseDoubleClickEvent(QMouseEvent *event)
{
    const TimelinePicture::Hit hit = m_picture.at(event->position());
    if (hit.kind == TimelinePicture::Hit::Kind::Tensor)
        Q_EMIT activated(int(hit.index));
}

void MemoryView::choose(const TimelinePicture::Hit &hit)
{
    using Kind = TimelinePicture::Hit::Kind;
    if (hit.kind == Kind::None)
        return;
    m_cursor = hit.step;
    Q_EMIT cursorMoved(int(hit.step));
    if (hit.kind == Kind::Tensor) {
        setMarked({hit.index});
        Q_EMIT chosen(int(hit.index));
    }
    describe();
    viewport()->update();
}

bool MemoryView::hover(const std::optional<QPoint> &place)
{
    const TimelinePicture::Hit hit = place ? m_picture.at(*place) : TimelinePicture::Hit();
    const auto now =
        hit.kind == TimelinePicture::Hit::Kind::Tensor ? std::optional(hit.index) : std::nullopt;
    if (std::exchange(m_hovered, now) != now)
        viewport()->update();
    return now.has_value();
}

void MemoryView::setCursorStep(std::uint32_t step)
{
    if (m_scene.timeline && step < m_scene.timeline->stepCount())
        moveCursor(step);
}

/// Sets the cursor and scrolls to it.
void MemoryView::moveCursor(std::int64_t step)
{
    const MemoryTimeline &of = *m_scene.timeline;
    m_cursor = std::uint32_t(std::clamp<std::int64_t>(step, 0, of.stepCount() - 1));
    const bool inTime = m_picture.window().inTime;
    const double from = of.beginOf(*m_cursor, inTime), to = of.beginOf(*m_cursor + 1, inTime);
    const double width = m_scene.look.to - m_scene.look.from;
    if (from < m_scene.look.from)
        showRange(from, from + width);
    else if (to > m_scene.look.to)
        showRange(to - width, to);
    Q_EMIT cursorMoved(int(*m_cursor));
    describe();
    viewport()->update();
}

/// Chooses the tensor above or below the last chosen one, among those live at the cursor.
void MemoryView::walk(int by)
{
    if (!m_cursor)
        m_cursor = m_scene.timeline->peakStep;
    const std::vector<std::uint32_t> alive = m_picture.aliveAt(*m_cursor);
    if (alive.empty())
        return;
    const auto now = m_marked.empty() ? alive.end() : std::ranges::find(alive, m_marked.front());
    const auto last = std::ptrdiff_t(alive.size()) - 1;
    const std::ptrdiff_t next = now == alive.end()
                                    ? (by > 0 ? 0 : last)
                                    : std::clamp<std::ptrdiff_t>(now - alive.begin() + by, 0, last);
    const std::uint32_t life = alive[std::size_t(next)];
    setMarked({life});
    Q_EMIT chosen(int(life));
}

/// Returns the centre of zooming by keys: the cursor if visible, or else the middle of the view.
double MemoryView::middle() const
{
    const TimelineLook &look = m_scene.look;
    const double cursor =
        m_cursor ? m_scene.timeline->beginOf(*m_cursor, m_picture.window().inTime) : look.to;
    return m_cursor && cursor >= look.from && cursor <= look.to ? cursor
                                                                : (look.from + look.to) / 2;
}

/// Moves the cursor by at least one pixel: a step may be narrower.
void MemoryView::moveBy(int direction)
{
    const MemoryTimeline &of = *m_scene.timeline;
    const TimelineLook &look = m_scene.look;
    const double perPixel = double(of.stepAt(look.to, m_picture.window().inTime) -
                                   of.stepAt(look.from, m_picture.window().inTime)) /
                            m_picture.chart().width();
    const auto by = std::max<std::int64_t>(1, std::int64_t(2 * perPixel));
    moveCursor(std::int64_t(m_cursor.value_or(of.peakStep)) + direction * by);
}

void MemoryView::describeKeys()
{
    const auto signOf = [](Qt::Key key) { return key == Qt::Key_Left ? -1 : 1; };
    m_keys.add({Qt::Key_Left, Qt::Key_Right}, tr("Move the cursor by one step"),
               [this, signOf](Qt::Key key) { moveBy(signOf(key)); });
    m_keys.add({Qt::SHIFT | Qt::Key_Left, Qt::SHIFT | Qt::Key_Right}, tr("Scroll"),
               [this, signOf](Qt::Key key) { panBy(signOf(key) * panShare); });
    m_keys.add({Qt::Key_Up, Qt::Key_Down}, tr("Select the next tensor in memory at the cursor"),
               [this](Qt::Key key) { walk(key == Qt::Key_Up ? 1 : -1); });
    m_keys.add({Qt::Key_Plus, Qt::Key_Equal}, tr("Zoom in"),
               [this](Qt::Key) { zoomBy(keyZoom, middle()); });
    m_keys.add({Qt::Key_Minus}, tr("Zoom out"), [this](Qt::Key) { zoomBy(1 / keyZoom, middle()); });
    m_keys.add({Qt::Key_F}, tr("Show the whole timeline"), [this](Qt::Key) { fit(); });
    m_keys.add({Qt::Key_P}, tr("Move the cursor to the peak"),
               [this](Qt::Key) { moveCursor(m_scene.timeline->peakStep); });
    m_keys.add({Qt::Key_Home}, tr("Move the cursor to the first step"),
               [this](Qt::Key) { moveCursor(0); });
    m_keys.add({Qt::Key_End}, tr("Move the cursor to the last step"),
               [this](Qt::Key) { moveCursor(std::int64_t(m_scene.timeline->stepCount()) - 1); });
    m_keys.add({Qt::Key_Return, Qt::Key_Enter}, tr("Show the tensor in the graph"),
               [this](Qt::Key) {
                   if (!m_marked.empty())
                       Q_EMIT activated(int(m_marked.front()));
               });
    m_keys.addGesture(tr("Wheel"), tr("Zoom; with Shift, scroll"));
    m_keys.addGesture(tr("Drag"), tr("Scroll"));
}

} // namespace graphloom
