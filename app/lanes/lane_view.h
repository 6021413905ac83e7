// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/lanes/lane_painter.h"
#include "app/widgets/range_view.h"

namespace graphloom {

/// Shows what threads did during runs, in lanes that can be zoomed, dragged and walked through with
/// keys.
class LaneView final : public RangeView {
    Q_OBJECT

public:
    explicit LaneView(QWidget *parent = nullptr);

    /// Shows other lanes, all of them; null: none.
    void setLanes(LanesPointer lanes);
    void setColours(LaneColours colours);
    /// Shows the run before, too.
    void setBefore(bool before);
    /// Sets the steps that are marked, by run; empty: none.
    void setSelected(std::vector<std::vector<bool>> steps);
    /// Makes a slice the current one, from which the keys go on, and scrolls to it.
    void setCurrent(std::optional<std::uint32_t> slice);
    /// Zooms to a slice.
    void zoomTo(std::uint32_t slice);

    const LaneScene &scene() const { return m_scene; }
    const LanePicture &picture() const { return m_picture; }
    const LaneMarks &marks() const { return m_marks; }

Q_SIGNALS:
    /// Emitted when a slice was clicked, or reached with keys.
    void chosen(int slice);
    /// Emitted for Enter or a double click.
    void activated(int slice);

protected:
    bool isEmpty() const override { return m_picture.isEmpty(); }
    double end() const override { return m_scene.lanes ? m_scene.end() : 0; }
    double leastWidth() const override;
    Range range() const override { return {m_scene.from, m_scene.to}; }
    void setRange(const Range &range) override;
    void paintContent(QPainter &painter, const Theme &theme) const override;
    void paintOver(QPainter &painter, const Theme &theme) const override;
    double placeAt(double x) const override { return m_picture.timeOf(x); }
    bool hover(const std::optional<QPoint> &place) override;
    void click(const QPoint &place) override;
    QString textAt(const QPoint &place) const override;
    void scrollContentsBy(int dx, int dy) override;
    void resizeEvent(QResizeEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;

private:
    void describeKeys();
    void refresh();
    void updateVerticalBar();
    /// Returns the centre of zooming by keys: the current slice if visible, or else the middle of
    /// the view.
    double middle() const;
    /// Chooses the next slice of the lane, or of the lane above or below.
    void walk(int bySlices, int byLanes);
    void choose(std::uint32_t slice);
    void scrollTo(std::uint32_t slice);
    std::uint32_t firstLane() const;

    LaneScene m_scene;
    LanePicture m_picture;
    LaneMarks m_marks;
};

} // namespace graphloom
