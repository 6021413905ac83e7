// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/kernels/roofline_legend.h"
#include "app/results/plan_run.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QChartView>

#include <array>

class QLineSeries;
class QLogValueAxis;
class QScatterSeries;

namespace graphloom {

/// Shows the roofline of a run: the speed that each kernel reaches (GFLOP/s) over its operations
/// per byte of its tensors, below the measured peaks of the device. Kernels that take more of the
/// time are larger and hotter. Kernels without arithmetic are not shown.
class RooflineView final : public QChartView {
    Q_OBJECT

public:
    explicit RooflineView(QWidget *parent = nullptr);

    void setRun(const PlanRunPointer &run);
    void setTheme(const Theme &theme);
    /// Returns the picture of the chart without the mark, or nothing without a run.
    std::optional<ViewPicture> picture() const;
    /// Marks the point of a step; removes the mark for -1, or for a step without a point.
    void mark(int step);

    /// Returns the position of a step's point in the view, or nothing if it is not drawn.
    std::optional<QPoint> placeOf(std::size_t step) const;
    /// Returns the number of steps that have a point.
    std::size_t points() const { return m_points.size(); }
    /// Returns the legend as it is painted.
    std::vector<RooflineEntry> legend() const { return legend(false); }
    /// Returns what the plot does not show, in words, or an empty string if it shows all.
    QString note() const;

Q_SIGNALS:
    void chosen(int step);

protected:
    void drawForeground(QPainter *painter, const QRectF &rect) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    struct Point {
        std::size_t step;
        QPointF place;
        QScatterSeries *series;
    };
    void addRoofs(double leftmost, double rightmost);
    QLineSeries *addRoof(const QString &name, const QList<QPointF> &points, Qt::PenStyle style);
    void addPoints();
    QScatterSeries *binOf(double part);
    void listenTo(QScatterSeries *series);
    QFont legendFont() const;
    std::vector<RooflineEntry> legend(bool all) const;
    void makeRoomForLegend();
    void paintSeries();
    const Point *at(const QPointF &place, const QScatterSeries *series) const;

    PlanRunPointer m_run;
    std::optional<Theme> m_theme;
    QLogValueAxis *m_intensity, *m_speed;
    std::vector<QLineSeries *> m_roofs;
    std::array<QScatterSeries *, 5> m_bins{}; // by share of the time, cold first; null: no points
    QScatterSeries *m_mark = nullptr;
    std::vector<Point> m_points;
    int m_marked = -1;
};

} // namespace graphloom
