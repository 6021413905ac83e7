// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QChartView>

class QLineSeries;
class QLogValueAxis;
class QScatterSeries;

namespace graphloom {

/// The roofline of a run: what each kernel reaches (GFLOP/s) over how much it computes for each
/// byte of its tensors, under what the device was measured to reach at best. Kernels that take more
/// of the time are larger and hotter. Those without arithmetic have no place on it.
class RooflineView final : public QChartView {
    Q_OBJECT

public:
    explicit RooflineView(QWidget *parent = nullptr);

    void setRun(const PlanRunPointer &run);
    void setTheme(const Theme &theme);
    /// What is shown, without the mark; nothing without a run.
    std::optional<ViewPicture> picture() const;
    /// Marks the point of a step; -1 or one without a point: none.
    void mark(int step);

    /// Where a step is drawn, in the view; none when it is not.
    std::optional<QPoint> placeOf(std::size_t step) const;
    /// How many steps have a point.
    std::size_t points() const { return m_points.size(); }
    /// What the plot does not show, in words; empty when it shows all.
    QString note() const;

Q_SIGNALS:
    void chosen(int step);

private:
    struct Point {
        std::size_t step;
        QPointF place;
        QScatterSeries *series;
    };
    void addRoofs(double leftmost, double rightmost);
    QLineSeries *addRoof(const QString &name, const QList<QPointF> &points, Qt::PenStyle style);
    void addPoints();
    void paintSeries();
    const Point *at(const QPointF &place, const QScatterSeries *series) const;

    PlanRunPointer m_run;
    std::optional<Theme> m_theme;
    QLogValueAxis *m_intensity, *m_speed;
    std::vector<QLineSeries *> m_roofs;
    std::vector<QScatterSeries *> m_bins; // by share of the time, cold first
    QScatterSeries *m_mark = nullptr;
    std::vector<Point> m_points;
    int m_marked = -1;
};

} // namespace graphloom
