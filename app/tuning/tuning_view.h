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

/// Trials of a tuner as points: a time over the number of the trial, with the best so far as a line
/// of steps. What is much slower than the default schedule, and what failed, is on the upper edge.
/// Shape tells apart what colour does. Of many trials it draws those that show their extremes.
class TuningView final : public QChartView {
    Q_OBJECT

public:
    /// About as many trials of each shape are drawn: more than there are pixels across.
    static constexpr std::size_t mostPoints = 2400;

    explicit TuningView(QWidget *parent = nullptr);

    /// Draws the log, which must live until the next call: all kernels relative to the start of
    /// each, or one of them in milliseconds.
    void show(const TuningLog &log, std::optional<std::size_t> kernel);
    void setTheme(const Theme &theme);
    /// What is shown, without the mark.
    ViewPicture picture() const;
    /// Marks a trial of the log; none, or one that is not shown: no mark.
    void mark(std::optional<std::size_t> trial);

    const TuningSeries &series() const { return m_series; }
    /// Where a trial of the log is drawn, in the view; none when it is not shown.
    std::optional<QPoint> placeOf(std::size_t trial) const;
    /// The trial of the log that is drawn nearest to a place in the view, within a few pixels.
    std::optional<std::size_t> trialAt(const QPoint &place) const;

Q_SIGNALS:
    void chosen(int trial);
    /// The pointer is on a trial; the receiver knows what to say of it.
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
    bool m_all = true; // else of one kernel
    std::optional<std::size_t> m_marked;
    std::optional<Theme> m_theme;
    QValueAxis *m_number, *m_time;
    // Of the legend: points of theirs would be an item of the scene each, which takes seconds for
    // thousands of them.
    QScatterSeries *m_measured, *m_slower, *m_failed;
    QLineSeries *m_best, *m_whole;
};

} // namespace graphloom
