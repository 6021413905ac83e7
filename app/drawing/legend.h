// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/metrics/node_metric.h"
#include "app/style/theme.h"

#include <QFontMetricsF>
#include <QWidget>

#include <memory>
#include <variant>

namespace graphloom {

/// What the colours of a graph mean: entries with a chip each.
struct LegendEntry {
    std::variant<OperatorClass, MappingType> meaning; // the latter are on a line of their own
    QString text, count;
    QString counted; // the count in words
};
/// Of the classes of nodes, unless they have other colours, and of the mapping types of blocks
/// where those are drawn.
std::vector<LegendEntry> legendOf(const Snapshot &snapshot, Grouping grouping, bool classes);
/// Paints an entry at the left of a rectangle as high as a line; returns how wide it is.
double paintEntry(QPainter *painter, const QRectF &place, const QFontMetricsF &metrics,
                  const Theme &theme, const LegendEntry &entry);

/// A line that says what the colours mean: of the nodes, with the number of nodes of each class; of
/// the boxes around fusion blocks, where they are drawn, with the number of blocks of each mapping
/// type.
class Legend final : public QWidget {
    Q_OBJECT

public:
    explicit Legend(QWidget *parent = nullptr);

    void setSnapshot(const SnapshotPointer &snapshot);
    /// What boxes are drawn around.
    void setGrouping(Grouping grouping);
    /// Nodes are coloured by this; null: by the class of their operator.
    void setMetric(const MetricPointer &metric, const MetricRange &range);
    void setTheme(std::shared_ptr<const Theme> theme);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;

private:
    void refresh();
    int lineHeight() const;
    /// Entries in as many lines as they need; blocks begin one of their own. Requires a theme.
    /// Null: nothing is painted. Returns the height.
    int flow(QPainter *painter) const;
    void fitHeight();

    SnapshotPointer m_snapshot;
    MetricPointer m_metric;
    MetricRange m_range;
    Grouping m_grouping = Grouping::None;
    std::shared_ptr<const Theme> m_theme;
    std::vector<LegendEntry> m_entries;
};

/// Writes what the colours of a metric mean on one line in a rectangle: its name, where it is from,
/// and its scale with values, or its categories.
void paintMetric(QPainter &painter, const QRectF &place, const Theme &theme,
                 const NodeMetric &metric, const MetricRange &range, const QColor &text);

} // namespace graphloom
