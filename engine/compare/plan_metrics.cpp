// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/plan_metrics.h"

#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/describe/stage.h"
#include "engine/plan/memory/live_tensors.h"

#include <algorithm>

namespace graphloom {

namespace {

using Sides = std::vector<std::pair<std::string, PlanMetric::Side>>; // by key

void add(Sides &sides, const char *key, double value, const char *unit, std::string basis = {})
{
    sides.emplace_back(key,
                       PlanMetric::Side{{value, unit, Provenance::Modelled}, std::move(basis)});
}

/// Adds sums over all nodes; they are absent if an extent is unknown.
void addWork(Sides &sides, const Plan &plan, std::stop_token stop)
{
    const Opsets opsets = opsetsOf(*plan.model);
    Dim macs = 0, flops = 0, bytes = 0;
    for (const NodeId id : plan.graph.order()) {
        if (stop.stop_requested())
            return;
        const Node &node = plan.graph.node(id);
        const Call call(node, operandsOf(plan.graph, node), opsets(node.domain));
        const auto description = describe(call);
        if (!description)
            continue; // unknown operators count as zero, like opaque ones
        macs += macsOf(*description);
        flops += flopsOf(*description);
        const Traffic traffic = trafficOf(*description, call);
        bytes += traffic.read + traffic.written;
    }
    for (const auto &[key, sum, unit] : {std::tuple{"macs", &macs, "count"},
                                         {"flops", &flops, "count"},
                                         {"traffic_bytes", &bytes, "bytes"}})
        if (const auto value = sum->constant())
            add(sides, key, double(*value), unit);
}

void addConstants(Sides &sides, const Graph &graph)
{
    double parameters = 0, bytes = 0;
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant || graph.uses(id).empty())
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        if (isFloatingPoint(data.type()))
            parameters += double(data.elements());
        bytes += double(data.storedBytes());
    }
    add(sides, "parameters", parameters, "count");
    add(sides, "constant_bytes", bytes, "bytes");
}

/// Adds peaks without weights, as a pass may be configured not to count them.
void addMemory(Sides &sides, const Plan &plan, std::stop_token stop)
{
    if (plan.memory) {
        const MemoryPlan &memory = *plan.memory;
        add(sides, "peak_bytes", double(peakBytesOf(plan) - memory.residentBytes), "bytes");
        add(sides, "memory_ms", memory.after.ms, "ms", memory.device);
        add(sides, "recomputed", double(memory.recomputed), "count");
        add(sides, "swapped", double(memory.swapped), "count");
        add(sides, "fissions",
            double(std::ranges::count_if(memory.fissions,
                                         [](const auto &fission) { return fission.number > 1; })),
            "count");
        return;
    }
    LiveTensorOptions options;
    options.blocks = plan.fusion ? &plan.fusion->partition : nullptr;
    options.arena = false;
    options.stop = stop;
    if (const auto live = liveTensorsOf(plan.graph, opsetsOf(*plan.model), options);
        live && live->unsized.empty())
        add(sides, "peak_bytes", double(live->peakBytes - live->residentBytes), "bytes");
}

/// Adds the latency of the original model, which is not in its own plan but in the memory plan of
/// the one that it is compared with.
void addOriginalLatency(Sides &sides, const Plan &plan, const Plan &other)
{
    if (!plan.memory && other.memory && plan.graph.hash() == other.original.hash())
        add(sides, "memory_ms", other.memory->before.ms, "ms", other.memory->device);
}

Sides figuresOf(const Plan &plan, const std::optional<MeasuredLatency> &measured,
                std::stop_token stop)
{
    Sides sides;
    add(sides, "nodes", double(plan.graph.nodeCount()), "count");
    add(sides, "kernels", double(kernelBlocksOf(plan).size()), "count");
    if (plan.fusion) {
        const auto &layers = plan.fusion->statistics.after;
        add(sides, "irs_bytes", double(layers.irsBytes), "bytes");
        add(sides, "block_ms", plan.fusion->costMs, "ms", plan.fusion->device);
    }
    if (plan.partition)
        add(sides, "subgraphs", double(plan.partition->subgraphs.size()), "count");
    if (plan.layouts)
        add(sides, "layout_changes", double(plan.layouts->transformations.size()), "count");
    if (measured)
        sides.emplace_back("measured_ms", PlanMetric::Side{measured->ms, measured->device});
    addMemory(sides, plan, stop);
    addWork(sides, plan, stop);
    addConstants(sides, plan.graph);
    return sides;
}

struct MetricName {
    const char *key, *name;
};
/// The metrics in the order in which they are listed.
constexpr MetricName metricNames[] = {
    {"measured_ms", "latency, measured"},
    {"block_ms", "latency of the blocks"},
    {"memory_ms", "latency of the memory plan"},
    {"peak_bytes", "peak memory, without weights"},
    {"irs_bytes", "intermediate results between kernels"},
    {"kernels", "kernels"},
    {"nodes", "nodes"},
    {"subgraphs", "subgraphs"},
    {"layout_changes", "layout changes"},
    {"macs", "MACs"},
    {"flops", "FLOPs"},
    {"traffic_bytes", "bytes read and written by all nodes"},
    {"parameters", "parameters"},
    {"constant_bytes", "bytes of constants"},
    {"recomputed", "recomputed tensors"},
    {"swapped", "swapped tensors"},
    {"fissions", "regions run in parts"},
};

} // namespace

bool PlanMetric::isComparable() const
{
    return before && now && before->figure.provenance == now->figure.provenance &&
           before->basis == now->basis;
}

double PlanMetric::difference() const
{
    return now->figure.value - before->figure.value;
}

std::optional<double> PlanMetric::ratio() const
{
    if (before->figure.value == 0)
        return std::nullopt;
    return now->figure.value / before->figure.value;
}

std::vector<PlanMetric> metricsOf(const Plan &before, const Plan &now,
                                  const std::optional<MeasuredLatency> &measuredBefore,
                                  const std::optional<MeasuredLatency> &measuredNow,
                                  std::stop_token stop)
{
    Sides left = figuresOf(before, measuredBefore, stop), right = figuresOf(now, measuredNow, stop);
    addOriginalLatency(left, before, now);
    addOriginalLatency(right, now, before);
    const auto find = [](const Sides &sides, std::string_view key) {
        const auto found = std::ranges::find(
            sides, key, [](const auto &side) { return std::string_view(side.first); });
        return found == sides.end() ? std::nullopt : std::optional(found->second);
    };
    std::vector<PlanMetric> metrics;
    for (const auto &[key, name] : metricNames) {
        PlanMetric metric{key, name, find(left, key), find(right, key)};
        if (metric.before || metric.now)
            metrics.push_back(std::move(metric));
    }
    return metrics;
}

} // namespace graphloom
