// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/snapshot/node_figures.h"

#include <QStringList>

#include <functional>

namespace graphloom {

/// From where to where values go.
struct MetricRange {
    double least = 0, most = 0;
    bool operator==(const MetricRange &) const = default;
};

/// Something that is known of nodes, and of the groups they are in: a number, or one of a few
/// categories. What nodes are coloured by, and what a column of the node table shows. Immutable.
class NodeMetric {
public:
    virtual ~NodeMetric() = default;

    QString key;        // "time", "macs", "data:file.csv:column": what is kept in settings
    QString name;       // "MACs"
    QString provenance; // "modelled", "host", the name of a file
    Spread spread = Spread::Linear;
    QStringList categories; // not empty: values are indices of them

    /// None for what has no value, and for items of another plan.
    virtual std::optional<double> of(const Snapshot &snapshot, const Item &item) const = 0;
    virtual QString text(double value) const = 0;
    /// What colours are spread over: the values of some items.
    virtual MetricRange rangeOf(const Snapshot &snapshot, const std::vector<Item> &items) const;
    /// What the legend says of the largest value: "the hottest block".
    virtual QString mostText() const { return {}; }

    bool isCategorical() const { return !categories.isEmpty(); }
    /// 0 (least) to 1 (most) on the scale.
    double partOf(double value, const MetricRange &range) const;
    /// "MACs: 10.8 M (modelled)"; empty where there is no value.
    QString describe(const Snapshot &snapshot, const Item &item) const;
};
using MetricPointer = std::shared_ptr<const NodeMetric>;

/// A value for each node of a graph; of a group their sum or the largest, of categories the one
/// that all have.
class ValueMetric final : public NodeMetric {
public:
    std::shared_ptr<const GraphFacts> facts;   // of the graph
    std::vector<std::optional<double>> values; // by node id
    Aggregate aggregate = Aggregate::Sum;
    std::function<QString(double)> format; // null: formatReal()

    std::optional<double> of(const Snapshot &snapshot, const Item &item) const override;
    QString text(double value) const override;
};

/// The share of the time of a run.
class TimeMetric final : public NodeMetric {
public:
    explicit TimeMetric(HeatPointer heat);
    std::optional<double> of(const Snapshot &snapshot, const Item &item) const override
    {
        return m_heat->of(snapshot, item);
    }
    QString text(double value) const override;
    MetricRange rangeOf(const Snapshot &, const std::vector<Item> &) const override
    {
        return {0, m_heat->most()};
    }
    QString mostText() const override;

private:
    HeatPointer m_heat;
};

/// A figure of all nodes of the graph that is shown.
MetricPointer metricOf(const NodeFigure &figure, const Snapshot &snapshot);
/// What is in memory while a node runs: by the plan's memory plan, else by the order of the graph.
MetricPointer liveMetricOf(const Snapshot &snapshot);

} // namespace graphloom
