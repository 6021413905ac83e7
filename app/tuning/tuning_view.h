// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/tuning_log.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"

#include <QChartView>

class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace graphloom {

/// Shows the trials of a tuner as points: the time over the number of the trial, with the best time
/// so far as a step line. Trials that are much slower than the default schedule, and failed ones,
/// are on the upper edge. Shapes distinguish the points in addition to colours. If there are many
/// trials, only those with the extreme values are drawn.
class TuningView final : public QChartView {
    Q_OBJECT

public:
    /// Number of trials of each shape that are drawn, about: more than there are pixels across.
    static constexpr std::size_t mostPoints = 2400;

    explicit TuningView(QWidget *parent = nullptr);

    /// Shows the log, which must live until the next call: all kernels relative to the start of
    /// each, beside those of an earlier log, or one of them in milliseconds.
    void show(const TuningLog &log, std::optional<std::size_t> kernel,
              const TuningLog &earlier = {});
    void setTheme(const Theme &theme);
    /// Returns the picture of the chart, without the mark.
    ViewPicture picture() const;
    /// Marks a trial of the log; removes the mark for none, or for a trial that is not shown.
    void mark(std::optional<std::size_t> trial);

    const TuningSeries &series() const { return m_series; }
    /// Returns the position of a trial of the log in the view, or nothing if it is not shown.
    std::optional<QPoint> placeOf(std::size_t trial) const;
    /// Returns the trial of the log whose point is nearest to a position in the view, within a few
    /// pixels.
    std::optional<std::size_t> trialAt(const QPoint &place) const;

Q_SIGNALS:
    void chosen(int trial);
    /// Emitted when the pointer is on a trial; the receiver decides what to show about it.
    void hovered(int trial, const QPoint &globalPlace);

protected:
    void drawForeground(QPainter *painter, const QRectF &exposed) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;

private:
    void show(const TuningSeries &series, bool all);
    std::optional<QPointF> pointOf(std::size_t trial) const;
    QPointF placeInScene(const QPointF &point) const;
    void paintSeries();

    TuningSeries m_series;
    const TuningLog *m_log = nullptr;
    bool m_all = true; // all kernels; else one
    std::optional<std::size_t> m_marked;
    std::optional<Theme> m_theme;
    QValueAxis *m_number, *m_time;
    // Series of the legend only: as their own points, thousands of trials would each be an item of
    // the scene, which takes seconds.
    QScatterSeries *m_measured, *m_slower, *m_failed;
    QLineSeries *m_best, *m_whole, *m_earlier;
};

} // namespace graphloom
