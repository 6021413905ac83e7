// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/node_metric.h"
#include "app/style/theme.h"

#include <QFontMetricsF>
#include <QWidget>

#include <limits>
#include <memory>
#include <variant>

namespace graphloom {

/// An entry of the legend, which explains a colour of the graph with a chip.
struct LegendEntry {
    std::variant<OperatorClass, MappingType> meaning; // mapping types are on a line of their own
    QString text, count;
    QString counted; // the count in words
};
/// Returns the entries for the operator classes of nodes, if `classes`, and for the mapping types
/// of blocks, if blocks are drawn.
std::vector<LegendEntry> legendOf(const Snapshot &snapshot, Grouping grouping, bool classes);
/// Paints an entry at the left of a rectangle that is one line high, and returns its width. Without
/// a painter, only returns the width.
double paintEntry(QPainter *painter, const QRectF &place, const QFontMetricsF &metrics,
                  const Theme &theme, const LegendEntry &entry);

/// Shows what the colours mean: of the nodes, with the number of nodes of each class, and of the
/// boxes around fusion blocks, if they are drawn, with the number of blocks of each mapping type.
class Legend final : public QWidget {
    Q_OBJECT

public:
    explicit Legend(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    /// Sets the grouping whose boxes are drawn.
    void setGrouping(Grouping grouping);
    /// Sets the metric that nodes are coloured by. Null: by the class of their operator.
    void setMetric(const MetricPointer &metric, const MetricRange &range);
    void setTheme(std::shared_ptr<const Theme> theme);
    /// Takes at most a height in pixels, but one line. Entries without room are counted; the tooltip
    /// has all of them.
    void setMostHeight(int height);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    int lineHeight() const;
    /// Paints the entries in as many lines as they need and may take, and returns the height. Blocks
    /// begin a line of their own if there is one. A null painter paints nothing. Requires a theme.
    int flow(QPainter *painter) const;
    void fitHeight();

    SnapshotPointer m_snapshot;
    MetricPointer m_metric;
    MetricRange m_range;
    Grouping m_grouping = Grouping::None;
    int m_mostLines = std::numeric_limits<int>::max();
    std::shared_ptr<const Theme> m_theme;
    std::vector<LegendEntry> m_entries;
};

/// Paints the legend of a metric on one line in a rectangle: its name and provenance, and its scale
/// with values, or its categories.
void paintMetric(QPainter &painter, const QRectF &place, const Theme &theme,
                 const NodeMetric &metric, const MetricRange &range, const QColor &text);

} // namespace graphloom
