// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/timeline_painter.h"
#include "app/widgets/range_view.h"

namespace graphloom {

/// Shows a memory timeline that can be zoomed, dragged and walked through with keys.
class MemoryView final : public RangeView {
    Q_OBJECT

public:
    explicit MemoryView(QWidget *parent = nullptr);

    /// Shows another timeline. `same` tells that it is of the same graph; then the visible range is
    /// kept.
    void setTimeline(TimelinePointer timeline, bool same = false);
    /// Draws another timeline as an outline over it; null: none.
    void setCompared(TimelinePointer timeline, const QString &name);
    void setLimit(std::optional<std::int64_t> bytes);
    void setInTime(bool inTime);
    void setArena(bool arena);
    void setWeights(bool weights);
    /// Sets the lifetimes that are marked. The keys continue from the first.
    void setMarked(const std::vector<std::uint32_t> &lives);

    const TimelinePointer &timeline() const { return m_scene.timeline; }
    const TimelineScene &scene() const { return m_scene; }
    const TimelinePicture &picture() const { return m_picture; }
    std::optional<std::uint32_t> cursor() const { return m_cursor; }
    void setCursorStep(std::uint32_t step);
    /// Returns the text for what is at a place; empty when nothing is there.
    QString textOf(const TimelinePicture::Hit &hit) const;

Q_SIGNALS:
    /// Emitted when a lifetime of the timeline was clicked, or reached with keys.
    void chosen(int tensor);
    /// Emitted for Enter or a double click.
    void activated(int tensor);
    void cursorMoved(int step);

protected:
    bool isEmpty() const override { return m_picture.isEmpty(); }
    double end() const override;
    double leastWidth() const override;
    Range range() const override { return {m_scene.look.from, m_scene.look.to}; }
    void setRange(const Range &range) override;
    void paintContent(QPainter &painter, const Theme &theme) const override;
    void paintOver(QPainter &painter, const Theme &theme) const override;
    double placeAt(double x) const override { return m_picture.placeOf(x); }
    bool hover(const std::optional<QPoint> &place) override;
    void click(const QPoint &place) override { choose(m_picture.at(place)); }
    QString textAt(const QPoint &place) const override { return textOf(m_picture.at(place)); }
    void resizeEvent(QResizeEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    void describeKeys();
    void moveBy(int direction);
    double middle() const;
    void refresh();
    void walk(int by);
    void moveCursor(std::int64_t step);
    void choose(const TimelinePicture::Hit &hit);
    void describe();
    QString textOfTensor(std::uint32_t tensor) const;

    TimelineScene m_scene;
    TimelinePicture m_picture;
    std::vector<std::uint32_t> m_marked; // in the order given
    std::optional<std::uint32_t> m_cursor, m_hovered;
};

} // namespace graphloom
