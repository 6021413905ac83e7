// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the timeline; memory_view_input.cpp handles input, memory_view_text.cpp the texts.
#include "app/memory/memory_view.h"

#include <QPainter>

#include <algorithm>

namespace graphloom {

namespace {

constexpr double leastShare = 2; // smallest visible range, in steps

} // namespace

MemoryView::MemoryView(QWidget *parent) : RangeView(tr("Memory"), parent)
{
    setObjectName(QStringLiteral("memoryView"));
    setAccessibleName(tr("Memory timeline"));
    describeKeys();
}

void MemoryView::setTimeline(TimelinePointer timeline, bool same)
{
    const bool whole = isWhole();
    m_scene.timeline = std::move(timeline);
    m_marked.clear();
    m_scene.marked.clear();
    m_hovered.reset();
    if (!same || (m_cursor && (!m_scene.timeline || *m_cursor >= m_scene.timeline->stepCount())))
        m_cursor.reset();
    if (!same || whole)
        m_scene.look.from = m_scene.look.to = 0;
    else if (const double over = m_scene.look.to - end(); over > 0)
        m_scene.look.to -= over;
    refresh();
}

void MemoryView::setCompared(TimelinePointer timeline, const QString &name)
{
    if (timeline == m_scene.compared && name == m_scene.comparedName)
        return;
    const bool whole = isWhole();
    m_scene.compared = std::move(timeline);
    m_scene.comparedName = name;
    if (whole)
        m_scene.look.from = m_scene.look.to = 0;
    refresh();
}

void MemoryView::setLimit(std::optional<std::int64_t> bytes)
{
    m_scene.limit = bytes;
    refresh();
}

void MemoryView::setInTime(bool inTime)
{
    if (inTime == m_scene.look.inTime)
        return;
    // Keep the visible range.
    if (const MemoryTimeline *of = m_scene.timeline.get(); of && of->timed && !of->isEmpty()) {
        const bool now = m_scene.look.inTime;
        const std::uint32_t first = of->stepAt(m_scene.look.from, now);
        const std::uint32_t last = of->stepAt(m_scene.look.to, now);
        const bool whole = isWhole();
        m_scene.look.inTime = inTime;
        m_scene.look.from = whole ? 0 : of->beginOf(first, inTime);
        m_scene.look.to = whole ? 0 : of->beginOf(last + 1, inTime);
    }
    m_scene.look.inTime = inTime;
    refresh();
}

void MemoryView::setArena(bool arena)
{
    m_scene.look.arena = arena;
    refresh();
}

void MemoryView::setWeights(bool weights)
{
    m_scene.look.weights = weights;
    refresh();
}

void MemoryView::setMarked(const std::vector<std::uint32_t> &lives)
{
    m_marked = lives;
    constexpr std::size_t most = 64; // marked tensors that are drawn even if they are thin
    std::vector<std::uint32_t> drawn(lives.begin(),
                                     lives.begin() + std::ptrdiff_t(std::min(most, lives.size())));
    std::ranges::sort(drawn);
    if (drawn != m_scene.marked) {
        // Draw again only if one of them is not drawn yet.
        m_scene.marked = std::move(drawn);
        const bool missing = std::ranges::any_of(m_scene.marked, [&](std::uint32_t life) {
            return std::ranges::find(m_picture.bands().bands, life, &TimelineBands::Band::tensor) ==
                   m_picture.bands().bands.end();
        });
        if (missing && !m_scene.look.arena)
            refresh();
    }
    describe();
    viewport()->update();
}

double MemoryView::end() const
{
    const bool inTime = m_scene.look.inTime && m_scene.timeline && m_scene.timeline->timed;
    double end = 0;
    for (const TimelinePointer &timeline : {m_scene.timeline, m_scene.compared})
        if (timeline)
            end = std::max(end, timeline->beginOf(timeline->stepCount(), inTime));
    return end;
}

double MemoryView::leastWidth() const
{
    const double steps = double(m_scene.timeline->stepCount());
    return leastShare * end() / std::max(1.0, steps);
}

void MemoryView::setRange(const Range &range)
{
    m_scene.look.from = range.from;
    m_scene.look.to = range.to;
    refresh();
}

void MemoryView::refresh()
{
    m_picture = TimelinePicture(m_scene, viewport()->rect(), viewport()->font(),
                                viewport()->devicePixelRatioF());
    if (!m_picture.isEmpty()) {
        m_scene.look.from = m_picture.scene().look.from;
        m_scene.look.to = m_picture.scene().look.to;
    }
    contentChanged();
}

void MemoryView::resizeEvent(QResizeEvent *event)
{
    RangeView::resizeEvent(event);
    refresh();
}

void MemoryView::paintContent(QPainter &painter, const Theme &theme) const
{
    paintTimeline(painter, m_picture, theme);
}

void MemoryView::paintOver(QPainter &painter, const Theme &theme) const
{
    TimelineMarks marks;
    marks.selected = m_marked;
    marks.hovered = m_hovered;
    marks.cursor = m_cursor;
    paintMarks(painter, m_picture, theme, marks);
}

} // namespace graphloom
