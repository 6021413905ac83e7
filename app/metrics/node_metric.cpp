// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/metrics/node_metric.h"

#include "app/common/format.h"
#include "engine/plan/memory_plan.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace graphloom {

namespace {

struct NodeMetricText {
    Q_DECLARE_TR_FUNCTIONS(NodeMetric)
};

} // namespace

MetricRange NodeMetric::rangeOf(const Snapshot &snapshot, const std::vector<Item> &items) const
{
    if (isCategorical())
        return {0, double(categories.size() - 1)};
    constexpr double infinity = std::numeric_limits<double>::infinity();
    MetricRange range{infinity, -infinity};
    for (const Item &item : items) {
        const auto value = of(snapshot, item);
        if (!value || !std::isfinite(*value) || (spread == Spread::Logarithmic && *value <= 0))
            continue;
        range.least = std::min(range.least, *value);
        range.most = std::max(range.most, *value);
    }
    if (range.least > range.most)
        return {};
    if (spread == Spread::Linear && range.least > 0)
        range.least = 0; // bar lengths start at zero
    return range;
}

double NodeMetric::partOf(double value, const MetricRange &range) const
{
    double part = 0;
    if (spread == Spread::Logarithmic && range.least > 0)
        part = value <= range.least ? 0
               : range.most > range.least
                   ? std::log(value / range.least) / std::log(range.most / range.least)
                   : 1;
    else if (range.most > range.least)
        part = (value - range.least) / (range.most - range.least);
    else
        part = value > 0 ? 1 : 0;
    return std::clamp(part, 0.0, 1.0);
}

QString NodeMetric::describe(const Snapshot &snapshot, const Item &item) const
{
    const auto value = of(snapshot, item);
    return value ? QStringLiteral("%1: %2 (%3)").arg(name, text(*value), provenance) : QString();
}

std::optional<double> ValueMetric::of(const Snapshot &snapshot, const Item &item) const
{
    if (snapshot.facts != facts || item.isTensor() || !item)
        return std::nullopt;
    if (item.kind == Item::Kind::Node)
        return item.index < values.size() ? values[item.index] : std::nullopt;
    if (!item.isGroup() || !snapshot.contains(item))
        return std::nullopt;
    std::optional<double> result;
    for (const NodeId id : snapshot.nodesOf(item)) {
        const auto &value = values[id.index];
        if (!value)
            continue;
        if (isCategorical() && result && *result != *value)
            return std::nullopt;
        result = !result || isCategorical()    ? *value
                 : aggregate == Aggregate::Sum ? *result + *value
                                               : std::max(*result, *value);
    }
    return result;
}

MetricRange ValueMetric::rangeOf(const Snapshot &snapshot, const std::vector<Item> &items) const
{
    const MetricRange range = NodeMetric::rangeOf(snapshot, items);
    if (!covered)
        return range;
    return {range.least > 0 ? std::min(range.least, covered->least) : covered->least,
            std::max(range.most, covered->most)};
}

QString ValueMetric::text(double value) const
{
    if (isCategorical())
        return categories[qsizetype(value)];
    return format ? format(value) : formatReal(value);
}

TimeMetric::TimeMetric(HeatPointer heat) : m_heat(std::move(heat))
{
    key = QStringLiteral("time");
    name = NodeMetricText::tr("share of the time");
    provenance = m_heat->provenance();
}

QString TimeMetric::text(double value) const
{
    return QString::number(100 * value, 'f', 1) + QStringLiteral(" %");
}

QString TimeMetric::mostText() const
{
    return NodeMetricText::tr("the slowest block");
}

MetricPointer metricOf(const NodeFigure &figure, const Snapshot &snapshot)
{
    auto metric = std::make_shared<ValueMetric>();
    metric->key = QLatin1String(figure.key);
    metric->name = figure.translatedTitle();
    metric->provenance = fromUtf8(nameOf(Provenance::Modelled));
    metric->spread = figure.spread;
    metric->aggregate = figure.aggregate;
    metric->format = [&figure](double value) { return figure.text(value); };
    metric->facts = snapshot.facts;
    metric->values.resize(snapshot.graph().nodeBound());
    for (const NodeId id : snapshot.graph().order())
        metric->values[id.index] = figure.of(snapshot.graph(), *snapshot.facts, id);
    return metric;
}

MetricPointer errorMetricOf(const PlanVerification &verification, const Snapshot &snapshot)
{
    auto metric = std::make_shared<ValueMetric>();
    metric->key = errorMetricKey;
    metric->name = NodeMetricText::tr("relative error");
    metric->provenance = verification.inputsText();
    metric->spread = Spread::Logarithmic;
    metric->aggregate = Aggregate::Most;
    metric->format = formatError;
    metric->facts = snapshot.facts;
    metric->values = verification.byNode;
    // Colours tell how near the tolerance an error is: those of rounding are cold, however alike
    // all of them are.
    constexpr double farBelow = 1e-4;
    if (const double tolerance = verification.errors.verification.tolerance; tolerance > 0)
        metric->covered = {farBelow * tolerance, tolerance};
    return metric;
}

MetricPointer liveMetricOf(const Snapshot &snapshot)
{
    auto metric = std::make_shared<ValueMetric>();
    metric->key = QStringLiteral("live");
    metric->name = NodeMetricText::tr("live memory");
    metric->aggregate = Aggregate::Most;
    metric->format = formatBytes;
    metric->facts = snapshot.facts;
    metric->values.resize(snapshot.graph().nodeBound());
    const MemoryPlan *memory = snapshot.nested ? nullptr : snapshot.plan->memory.get();
    std::unordered_map<std::string, std::int64_t> byNode;
    if (memory)
        for (const MemoryPlan::Step &step : memory->steps) {
            std::int64_t &bytes = byNode[step.node];
            bytes = std::max(bytes, step.bytes);
        }
    bool any = false;
    for (const NodeId id : snapshot.graph().order())
        if (const auto known = byNode.find(snapshot.graph().node(id).name);
            known != byNode.end() && !known->first.empty()) {
            metric->values[id.index] = double(known->second);
            any = true;
        }
    if (any) {
        metric->provenance = NodeMetricText::tr("modelled, %1").arg(fromUtf8(memory->device));
        return metric;
    }
    metric->provenance = NodeMetricText::tr("modelled, in the order of the graph, without weights");
    const std::vector<double> bytes = liveBytes(snapshot.graph());
    for (const NodeId id : snapshot.graph().order())
        metric->values[id.index] = bytes[id.index];
    return metric;
}

} // namespace graphloom
