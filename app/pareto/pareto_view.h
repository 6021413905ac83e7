// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/pareto/pareto.h"
#include "app/style/theme.h"
#include "app/style/view_picture.h"
#include "app/widgets/view_keys.h"

#include <QChartView>

#include <optional>
#include <set>

class QLineSeries;
class QScatterSeries;
class QValueAxis;

namespace graphloom {

/// Plots latency, or energy, over peak memory of many plans. Series differ in shape and dash as
/// well as in colour. The axes stay the same while points come and go within their range.
class ParetoView final : public QChartView, public KeyedView {
    Q_OBJECT

public:
    explicit ParetoView(QWidget *parent = nullptr);

    /// Sets the points. `same` tells that they are of the same graph; then the axes only grow.
    void setPoints(ParetoPointer points, bool same);
    /// Shows ratios to the graph before, else milliseconds and bytes. Among ratios, series without
    /// a graph before are left out.
    void setRatios(bool ratios);
    bool showsRatios() const { return m_axes == Axes::Ratios; }
    /// Shows the energy of a run instead of its latency, for the points where it is known.
    void setEnergy(bool energy);
    bool showsEnergy() const { return m_axes == Axes::Energy; }
    /// Sets whether points are shown that take more than three times as long as the graph before.
    /// They leave little space for all others.
    void setWhole(bool whole);
    /// Returns how many points are not drawn for that reason.
    std::size_t beyond() const;
    /// Sets the limits, which are drawn as lines; nothing: no line.
    void setLimits(std::optional<double> ms, std::optional<std::int64_t> bytes);
    void setTheme(const Theme &theme);
    /// Returns a picture of the chart without the mark, or nothing without points.
    std::optional<ViewPicture> picture() const;
    void mark(std::optional<std::size_t> number);
    std::optional<std::size_t> marked() const { return m_marked; }

    /// Returns where a point is drawn in the view, or nothing when it is not drawn.
    std::optional<QPoint> placeOf(std::size_t number) const;
    /// Returns the point that is drawn nearest to a place in the view, within a few pixels.
    std::optional<std::size_t> numberAt(const QPoint &place) const;
    QString textOf(std::size_t number) const;
    const ViewKeys &keys() const override { return m_keys; }

Q_SIGNALS:
    void chosen(int number);
    void activated(int number); // double click, Enter
    /// Emitted when the marked point is beyond the range that is drawn.
    void wholeNeeded();

protected:
    bool event(QEvent *event) override;
    void drawForeground(QPainter *painter, const QRectF &exposed) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    struct Drawn {
        QScatterSeries *points; // for the legend only: see TuningView
        QLineSeries *line;      // null: none
    };
    enum class Axes { Absolute, Ratios, Energy };
    void setAxes(Axes axes);
    bool isShown(const ParetoSeries &series) const;
    /// Tells whether a point of a series that is shown is not drawn.
    bool isLeftOut(const ParetoSeries &series, const ParetoPoint &point) const
    {
        return showsEnergy() ? point.joules <= 0 : isBeyond(series, point);
    }
    /// Tells whether a point is slower than what is drawn.
    bool isBeyond(const ParetoSeries &series, const ParetoPoint &point) const;
    QPointF valueOf(const ParetoSeries &series, const ParetoPoint &point) const;
    /// Returns the position of a series among those of its kind that look alike otherwise.
    std::size_t numberOf(std::size_t series) const;
    void drawSpread(QPainter &painter, std::size_t series) const;
    QPointF placeInScene(const QPointF &value) const;
    std::set<Provenance> provenances() const;
    void rebuild();
    void updateLines();
    void updateAxes(bool grow);
    void paintSeries();
    QColor colourOf(std::size_t series) const;
    /// Tells whether a series is drawn as an outline: a baseline on the original graph that is also
    /// there on the rewritten graph.
    bool isHollow(const ParetoSeries &series) const;
    void walk(int by);
    void walkSeries(int by);

    bool isEmpty() const { return !m_data || m_data->size() == 0; }

    ViewKeys m_keys{tr("Pareto")};
    ParetoPointer m_data;
    Axes m_axes = Axes::Absolute;
    bool m_whole = false;
    double m_unit = 1; // bytes
    std::optional<double> m_latencyLimit;
    std::optional<std::int64_t> m_memoryLimit;
    std::optional<std::size_t> m_marked;
    std::optional<Theme> m_theme;
    QValueAxis *m_latency, *m_memory;
    std::vector<Drawn> m_drawn;
};

} // namespace graphloom
