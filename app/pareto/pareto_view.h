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

/// Latency over peak memory of many plans. Series differ in shape and dash besides colour; axes
/// stay while points come and go within them.
class ParetoView final : public QChartView, public KeyedView {
    Q_OBJECT

public:
    explicit ParetoView(QWidget *parent = nullptr);

    /// `same`: other points of the same graph, for which the axes only grow.
    void setPoints(ParetoPointer points, bool same);
    /// Ratios to the graph before, else milliseconds and bytes. Series without a graph before are
    /// left out among ratios.
    void setRatios(bool ratios);
    bool showsRatios() const { return m_ratios; }
    /// Also what takes more than three times as long as the graph before, in whose shadow all
    /// others would be.
    void setWhole(bool whole);
    /// How many points are not drawn for that.
    std::size_t beyond() const;
    /// Drawn as lines; of one that is not known, none.
    void setLimits(std::optional<double> ms, std::optional<std::int64_t> bytes);
    void setTheme(const Theme &theme);
    /// What is shown, without the mark; nothing without points.
    std::optional<ViewPicture> picture() const;
    void mark(std::optional<std::size_t> number);
    std::optional<std::size_t> marked() const { return m_marked; }

    /// Where a point is drawn, in the view; none when it is not.
    std::optional<QPoint> placeOf(std::size_t number) const;
    /// The point that is drawn nearest to a place in the view, within a few pixels.
    std::optional<std::size_t> numberAt(const QPoint &place) const;
    QString textOf(std::size_t number) const;
    const ViewKeys &keys() const override { return m_keys; }

Q_SIGNALS:
    void chosen(int number);
    void activated(int number); // double click, Enter
    /// What was marked is beyond what was drawn.
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
        QScatterSeries *points; // of the legend alone: see TuningView
        QLineSeries *line;      // null: none
    };
    bool isShown(const ParetoSeries &series) const { return !m_ratios || series.before; }
    /// Slower than what is drawn.
    bool isBeyond(const ParetoSeries &series, const ParetoPoint &point) const;
    QPointF valueOf(const ParetoSeries &series, const ParetoPoint &point) const;
    QPointF placeInScene(const QPointF &value) const;
    std::set<Provenance> provenances() const;
    void rebuild();
    void updateLines();
    void updateAxes(bool grow);
    void paintSeries();
    QColor colourOf(std::size_t series) const;
    /// Beside its twin on the rewritten graph, a baseline on the graph as it came is an outline.
    bool isHollow(const ParetoSeries &series) const;
    void walk(int by);
    void walkSeries(int by);

    bool isEmpty() const { return !m_data || m_data->size() == 0; }

    ViewKeys m_keys{tr("Pareto")};
    ParetoPointer m_data;
    bool m_ratios = false, m_whole = false;
    double m_unit = 1; // bytes
    std::optional<double> m_latencyLimit;
    std::optional<std::int64_t> m_memoryLimit;
    std::optional<std::size_t> m_marked;
    std::optional<Theme> m_theme;
    QValueAxis *m_latency, *m_memory;
    std::vector<Drawn> m_drawn;
};

} // namespace graphloom
