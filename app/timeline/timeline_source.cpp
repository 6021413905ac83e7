// SPDX-License-Identifier: GPL-3.0-or-later
// Builds timelines from a pass's memory plan (planned_timeline.cpp) or from the graph alone.
#include "app/timeline/memory_timeline.h"

#include "app/common/format.h"
#include "app/timeline/timeline_parts.h"
#include "engine/ops/derive/infer.h"
#include "engine/plan/memory/live_tensors.h"

#include <QCoreApplication>

#include <algorithm>

namespace graphloom {

namespace {

struct TimelineSourceText {
    Q_DECLARE_TR_FUNCTIONS(MemoryTimeline)
};

/// Returns a text such as "a, b, c and 4 more".
QString listOf(const Graph &graph, const std::vector<TensorId> &tensors)
{
    constexpr std::size_t most = 3;
    QStringList names;
    for (std::size_t i = 0; i < std::min(most, tensors.size()); ++i)
        names << nameOrNumber(graph.tensor(tensors[i]), tensors[i]);
    QString text = names.join(QStringLiteral(", "));
    if (tensors.size() > most)
        text += TimelineSourceText::tr(" and %1 more").arg(tensors.size() - most);
    return text;
}

TimelinePointer derivedTimeline(const Snapshot &snapshot, std::stop_token stop)
{
    const Graph &graph = snapshot.graph();
    const Plan &plan = *snapshot.plan;
    LiveTensorOptions options;
    options.blocks = snapshot.nested || !plan.fusion ? nullptr : &plan.fusion->partition;
    options.stop = stop;
    const auto live = liveTensorsOf(graph, opsetsOf(*plan.model), options);
    if (!live)
        return nullptr;
    MemoryTimeline result;
    result.residentBytes = live->residentBytes;
    result.weights = live->weights.size();
    result.arenaBytes = live->arenaBytes;
    for (const LiveTensors::Step &step : live->steps) {
        const NodeId id = step.nodes.back();
        QString text = timelineNodeText(graph, id);
        if (step.nodes.size() > 1)
            text += TimelineSourceText::tr(" with %1").arg(formatOperators(step.nodes.size() - 1));
        const Item block = options.blocks ? snapshot.groupOf(id, Grouping::Blocks) : Item();
        const bool several = block && snapshot.nodesOf(block).size() > 1;
        result.steps.push_back({text, several ? block : Item::of(id), 0, 0, step.bytes, false});
    }
    for (const LiveTensors::Life &life : live->lives) {
        MemoryTimeline::Tensor tensor;
        tensor.name = nameOrNumber(graph.tensor(life.tensor), life.tensor);
        tensor.item = timelineItemOf(graph, life.tensor);
        tensor.producer = life.producer;
        if (life.producer.valid())
            tensor.madeBy = timelineNodeText(graph, life.producer);
        tensor.first = std::uint32_t(life.first.number());
        tensor.last = std::uint32_t(life.last.number());
        tensor.bytes = life.bytes;
        tensor.offset = life.offset;
        tensor.kind = timelineClassOf(graph, life.tensor, plan.training && !snapshot.nested);
        if (life.output && tensor.kind == MemoryTimeline::Class::Activation)
            tensor.kind = MemoryTimeline::Class::Output; // an output under another name
        for (const TensorId view : life.views)
            result.views.push_back(
                {view, graph.producer(view), std::uint32_t(result.tensors.size())});
        result.tensors.push_back(std::move(tensor));
    }
    for (const LiveTensors::Life &life : live->lives)
        if (life.takesOver.isValid())
            result.tensors[std::size_t(life.takesOver.number())].takenOver = life.bytes;
    if (!live->steps.empty())
        addExtras(result);
    result.origin = options.blocks
                        ? TimelineSourceText::tr("order of the fusion blocks, tensor sizes only")
                        : TimelineSourceText::tr("order of the graph, tensor sizes only");
    if (!live->unsized.empty())
        result.notes << TimelineSourceText::tr("excluded, dynamic shape: %1")
                            .arg(listOf(graph, live->unsized));
    return finished(std::move(result));
}

} // namespace

TimelinePointer timelineOf(const Snapshot &snapshot, std::stop_token stop)
{
    const auto &memory = snapshot.plan->memory;
    if (memory && !memory->steps.empty() && !snapshot.nested)
        return plannedTimeline(snapshot, *memory, stop);
    return derivedTimeline(snapshot, stop);
}

TimelinePointer timelineBefore(const Plan &plan)
{
    if (!plan.memory || plan.memory->stepsBefore.empty())
        return nullptr;
    MemoryTimeline result;
    result.timed = true;
    result.residentBytes = plan.memory->residentBytes;
    result.origin = fromUtf8(plan.memory->before.origin);
    for (const MemoryPlan::Step &step : plan.memory->stepsBefore)
        result.steps.push_back(
            {fromUtf8(step.node), {}, step.startMs, step.ms, step.bytes, step.again});
    return finished(std::move(result));
}

} // namespace graphloom
