// SPDX-License-Identifier: GPL-3.0-or-later
// Contents of the timeline; memory_view_input.cpp handles input, memory_view_text.cpp the texts.
#include "app/memory/memory_view.h"

#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace graphloom {

namespace {

constexpr int scrollUnits = 1 << 20; // length of the whole axis for the scroll bar
constexpr double leastShare = 2;     // smallest visible range, in steps

} // namespace

MemoryView::MemoryView(QWidget *parent) : QAbstractScrollArea(parent)
{
    setObjectName(QStringLiteral("memoryView"));
    setAccessibleName(tr("Memory timeline"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    setMinimumSize(160, 90);
    QFont small = font();
    small.setPointSizeF(small.pointSizeF() * 0.85);
    viewport()->setFont(small);
    describeKeys();
}

void MemoryView::setTimeline(TimelinePointer timeline, bool same)
{
    const bool whole = m_scene.look.to - m_scene.look.from >= end() * 0.999;
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
    const bool whole = m_scene.look.to - m_scene.look.from >= end() * 0.999;
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
        const bool whole = m_scene.look.to - m_scene.look.from >= end() * 0.999;
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

void MemoryView::setTheme(const Theme &theme)
{
    m_theme = theme;
    m_isPainted = false;
    viewport()->update();
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

void MemoryView::showRange(double from, double to)
{
    const double whole = end();
    if (whole <= 0)
        return;
    const double steps = double(m_scene.timeline->stepCount());
    const double least = std::min(whole, leastShare * whole / std::max(1.0, steps));
    const double width = std::clamp(to - from, least, whole);
    from = std::clamp((from + to - width) / 2, 0.0, whole - width);
    if (from == m_scene.look.from && from + width == m_scene.look.to)
        return;
    m_scene.look.from = from;
    m_scene.look.to = from + width;
    refresh();
}

void MemoryView::fit()
{
    showRange(0, end());
}

void MemoryView::zoomBy(double factor, double place)
{
    const TimelineLook &look = m_scene.look;
    showRange(place - (place - look.from) / factor, place + (look.to - place) / factor);
}

void MemoryView::refresh()
{
    m_picture = TimelinePicture(m_scene, viewport()->rect(), viewport()->font(),
                                viewport()->devicePixelRatioF());
    if (!m_picture.isEmpty()) {
        m_scene.look.from = m_picture.scene().look.from;
        m_scene.look.to = m_picture.scene().look.to;
    }
    m_isPainted = false;
    updateScrollBar();
    viewport()->update();
}

void MemoryView::updateScrollBar()
{
    const double whole = end();
    QScrollBar &bar = *horizontalScrollBar();
    m_scrolling = true;
    if (whole <= 0 || m_picture.isEmpty()) {
        bar.setRange(0, 0);
    } else {
        const double unit = scrollUnits / whole;
        const int page = std::max(1, int((m_scene.look.to - m_scene.look.from) * unit));
        bar.setPageStep(page);
        bar.setSingleStep(std::max(1, page / 20));
        bar.setRange(0, scrollUnits - page <= scrollUnits / 1000 ? 0 : scrollUnits - page);
        bar.setValue(int(m_scene.look.from * unit));
    }
    m_scrolling = false;
}

void MemoryView::scrollContentsBy(int, int)
{
    if (m_scrolling)
        return;
    const double from = double(horizontalScrollBar()->value()) / scrollUnits * end();
    showRange(from, from + m_scene.look.to - m_scene.look.from);
}

void MemoryView::resizeEvent(QResizeEvent *event)
{
    QAbstractScrollArea::resizeEvent(event);
    refresh();
}

void MemoryView::paintEvent(QPaintEvent *)
{
    if (!m_theme)
        return;
    const double ratio = viewport()->devicePixelRatioF();
    if (!m_isPainted) {
        if (m_painted.size() != viewport()->size() * ratio)
            m_painted = QPixmap(viewport()->size() * ratio);
        m_painted.setDevicePixelRatio(ratio);
        m_painted.fill(m_theme->palette.color(QPalette::Base));
        QPainter painter(&m_painted);
        paintTimeline(painter, m_picture, *m_theme);
        m_isPainted = true;
    }
    QPainter painter(viewport());
    painter.drawPixmap(0, 0, m_painted);
    TimelineMarks marks;
    marks.selected = m_marked;
    marks.hovered = m_hovered;
    marks.cursor = m_cursor;
    paintMarks(painter, m_picture, *m_theme, marks);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme->palette.color(QPalette::Highlight), 1));
        painter.drawRect(QRectF(viewport()->rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

} // namespace graphloom
