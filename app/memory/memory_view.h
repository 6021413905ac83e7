// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/timeline/timeline_painter.h"
#include "app/widgets/view_keys.h"

#include <QAbstractScrollArea>
#include <QPixmap>

namespace graphloom {

/// Shows a memory timeline that can be zoomed, dragged and walked through with keys. The painted
/// timeline is kept until another part is in view: moving the pointer only repaints what lies over
/// it.
class MemoryView final : public QAbstractScrollArea, public KeyedView {
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
    void setTheme(const Theme &theme);
    /// Sets the lifetimes that are marked. The keys continue from the first.
    void setMarked(const std::vector<std::uint32_t> &lives);

    void zoomBy(double factor, double place);
    void fit();
    /// Shows a range of the axis, clipped at the ends of the axis.
    void showRange(double from, double to);

    const TimelinePointer &timeline() const { return m_scene.timeline; }
    const TimelineScene &scene() const { return m_scene; }
    const TimelinePicture &picture() const { return m_picture; }
    std::optional<std::uint32_t> cursor() const { return m_cursor; }
    void setCursorStep(std::uint32_t step);
    /// Returns the text for what is at a place; empty when nothing is there.
    QString textOf(const TimelinePicture::Hit &hit) const;

    const ViewKeys &keys() const override { return m_keys; }
    QSize sizeHint() const override { return {640, 240}; }

Q_SIGNALS:
    /// Emitted when a lifetime of the timeline was clicked, or reached with keys.
    void chosen(int tensor);
    /// Emitted for Enter or a double click.
    void activated(int tensor);
    void cursorMoved(int step);

protected:
    bool event(QEvent *event) override;
    bool viewportEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    double end() const;
    void describeKeys();
    void moveBy(int direction);
    double middle() const;
    void refresh();
    void updateScrollBar();
    void walk(int by);
    void moveCursor(std::int64_t step);
    void hover(const QPoint &place);
    void choose(const TimelinePicture::Hit &hit);
    void describe();
    QString textOfTensor(std::uint32_t tensor) const;

    ViewKeys m_keys{tr("Memory")};
    TimelineScene m_scene;
    TimelinePicture m_picture;
    QPixmap m_painted;
    bool m_isPainted = false, m_scrolling = false;
    std::optional<Theme> m_theme;
    std::vector<std::uint32_t> m_marked; // in the order given
    std::optional<std::uint32_t> m_cursor, m_hovered;
    QPoint m_pressed;
    std::optional<double> m_grabbed; // place on the axis that the pointer drags
    bool m_dragging = false;
};

} // namespace graphloom
