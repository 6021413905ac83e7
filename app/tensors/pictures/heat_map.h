// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/common/worker.h"
#include "app/style/view_picture.h"
#include "app/tensors/pictures/heat_map_painter.h"
#include "app/widgets/view_keys.h"

#include <QImage>
#include <QTimer>
#include <QWidget>

class QToolButton;

namespace graphloom {

/// Shows a slice of a tensor in colours. It can be zoomed by wheel and keys and panned by drag; its
/// marked cell moves with the arrow keys. The numbers are computed on a thread, for as many cells
/// as there is room; once the user has cancelled that, a button begins again.
class HeatMap final : public QWidget, public KeyedView {
    Q_OBJECT

public:
    explicit HeatMap(QWidget *parent = nullptr);

    /// Sets the list that shows long work; null: none.
    void setJobs(JobList *jobs) { m_jobs = jobs; }
    /// Shows a slice; null: nothing. The part that is shown and the marked cell stay if the slice
    /// has the same rows and columns.
    void setSlice(std::shared_ptr<const TensorData> tensor, const TensorSlice &slice);
    /// Sets the bounds of the colours; nothing: those of the part that is shown.
    void setBounds(std::optional<std::pair<double, double>> bounds);
    void setTheme(const Theme &theme);
    /// Tells whether the panel can be seen: a slice that nobody looks at is not read.
    void setSeen(bool seen);
    /// Marks a cell of the slice, and scrolls to it if it is not in the part that is shown.
    void setCurrent(std::int64_t row, std::int64_t column);
    /// Shows the whole slice.
    void fit();

    const HeatMapScene &scene() const { return m_scene; }
    /// Returns the picture, or nothing without a slice.
    std::optional<ViewPicture> picture() const;
    bool isBusy() const { return m_worker.isRunning() || m_turn.isActive(); }
    const ViewKeys &keys() const override { return m_keys; }
    /// Returns the row and column of the slice at a place; nothing beside the map.
    std::optional<std::pair<std::int64_t, std::int64_t>> cellAt(const QPointF &place) const;
    /// Returns the place of a cell.
    QRectF placeOf(std::int64_t row, std::int64_t column) const;
    QSize sizeHint() const override { return {256, 192}; } // like a table
    QSize minimumSizeHint() const override { return {200, 60}; }

Q_SIGNALS:
    /// Emitted when the user has marked a cell.
    void currentChosen(qint64 row, qint64 column);
    /// Emitted when other numbers are shown.
    void shown();

protected:
    bool event(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void showEvent(QShowEvent *event) override;
    void wheelEvent(QWheelEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseReleaseEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void describeKeys();
    void showToolTip(const QPoint &place, const QPoint &globalPlace);
    void walk(Qt::Key key);
    void zoom(double factor, const QPointF &place);
    void setRange(const SliceRange &range);
    void computeSoon();
    void compute();
    void updateScale();
    HeatMapLayout layoutHere() const;

    QPointer<JobList> m_jobs;
    ViewKeys m_keys{tr("Heat map of a tensor")};
    std::shared_ptr<const TensorData> m_data;
    TensorSlice m_slice;
    HeatMapScene m_scene;
    std::optional<std::pair<double, double>> m_bounds;
    std::optional<Theme> m_theme;
    QImage m_cells; // of the scene in the theme; null: to be made
    QToolButton *m_again;
    QPoint m_pressed;
    SliceRange m_pressedRange;
    bool m_isPressed = false, m_panning = false;
    bool m_seen = true;
    bool m_isDue = false; // the numbers are to be computed once the map is visible
    QTimer m_turn;        // gathers changes of size and range
    Worker m_worker;
};

} // namespace graphloom
