// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_run.h"
#include "app/results/plan_verification.h"
#include "app/snapshot/node_figures.h"

#include <QStringList>

#include <functional>

namespace graphloom {

/// The range of the values of a metric.
struct MetricRange {
    double least = 0, most = 0;
    bool operator==(const MetricRange &) const = default;
};

/// A value of nodes and of the groups they are in: a number, or one of a few categories. Nodes can
/// be coloured by it, and a column of the node table shows it. Immutable.
class NodeMetric {
public:
    virtual ~NodeMetric() = default;

    QString key;        // "time", "macs", "data:file.csv:column"; stored in settings
    QString name;       // "MACs"
    QString provenance; // "modelled", "host", the name of a file
    Spread spread = Spread::Linear;
    QStringList categories; // if not empty, values are indices into it

    /// Returns the value of an item, or nothing when it has none or belongs to another plan.
    virtual std::optional<double> of(const Snapshot &snapshot, const Item &item) const = 0;
    virtual QString text(double value) const = 0;
    /// Returns the range of the finite values of some items, over which colours are spread.
    virtual MetricRange rangeOf(const Snapshot &snapshot, const std::vector<Item> &items) const;
    /// Returns the text of the legend for the largest value: "the slowest block".
    virtual QString mostText() const { return {}; }

    bool isCategorical() const { return !categories.isEmpty(); }
    /// Returns the position of a value on the scale, 0 (least) to 1 (most).
    double partOf(double value, const MetricRange &range) const;
    /// Returns the value of an item in words: "MACs: 10.8 M (modelled)". Empty when it has no
    /// value.
    QString describe(const Snapshot &snapshot, const Item &item) const;
};
using MetricPointer = std::shared_ptr<const NodeMetric>;

/// A metric with a value for each node of a graph. The value of a group is the sum or the maximum
/// of its nodes; for categories it is the one that all its nodes have.
class ValueMetric final : public NodeMetric {
public:
    std::shared_ptr<const GraphFacts> facts;   // of the graph that the values are for
    std::vector<std::optional<double>> values; // by node id
    Aggregate aggregate = Aggregate::Sum;
    std::function<QString(double)> format; // null: formatReal()
    std::optional<MetricRange> covered;    // the range has at least this; nothing: what is there

    std::optional<double> of(const Snapshot &snapshot, const Item &item) const override;
    MetricRange rangeOf(const Snapshot &snapshot, const std::vector<Item> &items) const override;
    QString text(double value) const override;
};

/// A metric that gives the share of an item in the time of a run.
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

/// Key of the metric that errorMetricOf() returns, in settings and in queries.
inline constexpr QLatin1String errorMetricKey("error");

/// Returns a figure of all nodes of the graph that is shown, as a metric.
MetricPointer metricOf(const NodeFigure &figure, const Snapshot &snapshot);
/// Returns the live memory while each node runs: from the memory plan if the plan has one, else
/// from the topological order of the graph.
MetricPointer liveMetricOf(const Snapshot &snapshot);
/// Returns the greatest relative error of the tensors that each node writes, for a snapshot of the
/// graph that was verified.
MetricPointer errorMetricOf(const PlanVerification &verification, const Snapshot &snapshot);

} // namespace graphloom
