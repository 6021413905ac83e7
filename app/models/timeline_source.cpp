// SPDX-License-Identifier: GPL-3.0-or-later
// Timelines of plans: from what a pass says of memory, or from the graph alone.
#include "app/models/memory_timeline.h"

#include "app/models/format.h"
#include "engine/autodiff/training.h"
#include "engine/ops/infer.h"
#include "engine/plan/live_tensors.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

struct TimelineSourceText {
    Q_DECLARE_TR_FUNCTIONS(MemoryTimeline)
};

/// "Conv conv1", "Relu #12".
QString timelineNodeText(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    return fromUtf8(node.op) + ' ' +
           (node.name.empty() ? QStringLiteral("#%1").arg(graph.position(id))
                              : fromUtf8(node.name));
}

/// As it is drawn, or else as itself.
Item timelineItemOf(const Graph &graph, TensorId id)
{
    return graph.isInput(id)      ? Item::input(id)
           : graph.isExternal(id) ? Item::captured(id)
                                  : Item::tensor(id);
}

/// Names are what engine/autodiff gives to what it adds.
MemoryTimeline::Class timelineClassOf(const Graph &graph, TensorId id, bool training)
{
    const std::string &name = graph.tensor(id).name;
    if (training && name.find(".updated") != std::string::npos)
        return MemoryTimeline::Class::Update;
    if (training && name.find(".gradient") != std::string::npos)
        return MemoryTimeline::Class::Gradient;
    return graph.isExternal(id) ? MemoryTimeline::Class::Input
           : graph.isOutput(id) ? MemoryTimeline::Class::Output
                                : MemoryTimeline::Class::Activation;
}

/// What of the steps' bytes is of no tensor.
void addExtras(MemoryTimeline &timeline)
{
    std::vector<std::int64_t> change(timeline.steps.size() + 1);
    for (const MemoryTimeline::Tensor &tensor : timeline.tensors) {
        change[tensor.first] += tensor.bytes;
        change[tensor.last] -= tensor.takenOver;
        change[std::size_t(tensor.last) + 1] -= tensor.bytes - tensor.takenOver;
    }
    std::int64_t bytes = timeline.residentBytes;
    for (std::size_t s = 0; s < timeline.steps.size(); ++s) {
        bytes += change[s];
        timeline.steps[s].extra = std::max<std::int64_t>(0, timeline.steps[s].bytes - bytes);
    }
}

/// A timeline in the making, from a plan's MemoryPlan.
class PlannedTimeline {
public:
    PlannedTimeline(const Snapshot &snapshot, const MemoryPlan &plan)
        : m_snapshot(snapshot), m_graph(snapshot.graph()), m_plan(plan)
    {
        for (std::uint32_t i = 0; i < m_graph.tensorBound(); ++i)
            if (m_graph.contains(TensorId{i}))
                m_tensors.emplace(m_graph.tensor(TensorId{i}).name, TensorId{i});
        for (const NodeId id : m_graph.order())
            if (!m_graph.node(id).name.empty())
                m_nodes.emplace(m_graph.node(id).name, id);
    }

    TimelinePointer make(std::stop_token stop)
    {
        m_result.residentBytes = m_plan.residentBytes;
        m_result.arenaBytes = m_plan.arenaBytes - m_plan.residentBytes;
        m_result.timed = true;
        for (const MemoryPlan::Step &step : m_plan.steps)
            addStep(step);
        addTransfers();
        for (const MemoryPlan::Life &life : m_plan.lives)
            if (life.first < m_result.steps.size())
                addLife(life);
        if (stop.stop_requested())
            return nullptr;
        findTakenOver();
        addExtras(m_result);
        for (std::uint32_t i = 0; m_plan.residentBytes > 0 && i < m_graph.tensorBound(); ++i)
            if (m_graph.contains(TensorId{i}) && m_graph.tensor(TensorId{i}).constant)
                ++m_result.weights;
        tellOrigin();
        return stop.stop_requested() ? nullptr : finished(std::move(m_result));
    }

private:
    NodeId nodeNamed(const std::string &name) const
    {
        const auto at = m_nodes.find(name);
        return at == m_nodes.end() ? NodeId() : at->second;
    }
    void addStep(const MemoryPlan::Step &step)
    {
        const NodeId id = nodeNamed(step.node);
        m_result.steps.push_back({id.valid() ? timelineNodeText(m_graph, id) : fromUtf8(step.node),
                                  id.valid() ? Item::of(id) : Item(), step.startMs, step.ms,
                                  step.bytes, step.again});
    }
    void addTransfers()
    {
        for (const MemoryPlan::Transfer &transfer : m_plan.transfers) {
            m_swapped.insert(transfer.tensor);
            m_result.transfers.push_back(
                {fromUtf8(transfer.tensor), transfer.load, transfer.startMs, transfer.endMs,
                 m_result.stepAt(transfer.startMs, true), m_result.stepAt(transfer.endMs, true)});
        }
    }
    void addLife(const MemoryPlan::Life &life)
    {
        MemoryTimeline::Tensor tensor;
        tensor.name = fromUtf8(life.tensor);
        tensor.first = life.first;
        tensor.last = std::min(life.last, m_result.stepCount() - 1);
        tensor.bytes = life.bytes;
        tensor.offset = life.offset;
        const std::string &step = m_plan.steps[life.first].node;
        const bool isInput = [&] {
            const auto at = m_tensors.find(life.tensor);
            if (at == m_tensors.end())
                return false;
            tensor.item = timelineItemOf(m_graph, at->second);
            tensor.producer = m_graph.producer(at->second);
            tensor.kind =
                timelineClassOf(m_graph, at->second, m_snapshot.plan->training != nullptr);
            return m_graph.isExternal(at->second);
        }();
        if (tensor.producer.valid())
            tensor.madeBy = timelineNodeText(m_graph, tensor.producer);
        else if (!isInput)
            tensor.madeBy = m_result.steps[life.first].node;
        tensor.swapped = m_swapped.contains(life.tensor);
        tensor.again = m_plan.steps[life.first].again &&
                       (!tensor.producer.valid() || nodeNamed(step) == tensor.producer);
        m_result.tensors.push_back(std::move(tensor));
    }
    /// A step in place counts once what two lives have: the plan has the sum alone.
    void findTakenOver()
    {
        std::vector<std::int64_t> change(m_result.steps.size() + 1);
        std::map<std::uint32_t, std::vector<std::uint32_t>> begins, ends;
        for (std::uint32_t t = 0; t < m_result.tensors.size(); ++t) {
            const MemoryTimeline::Tensor &tensor = m_result.tensors[t];
            change[tensor.first] += tensor.bytes;
            change[std::size_t(tensor.last) + 1] -= tensor.bytes;
            begins[tensor.first].push_back(t);
            ends[tensor.last].push_back(t);
        }
        std::int64_t bytes = m_result.residentBytes;
        for (std::uint32_t s = 0; s < m_result.stepCount(); ++s) {
            bytes += change[s];
            const std::int64_t saved = bytes - m_result.steps[s].bytes;
            if (saved <= 0)
                continue;
            MemoryTimeline::Tensor *taken = nullptr;
            for (const std::uint32_t t : ends[s]) {
                MemoryTimeline::Tensor &from = m_result.tensors[t];
                if (from.bytes < saved)
                    continue;
                const bool inPlace = std::ranges::any_of(begins[s], [&](std::uint32_t other) {
                    return other != t && m_result.tensors[other].offset == from.offset;
                });
                if (!taken || inPlace)
                    taken = &from;
            }
            if (taken)
                taken->takenOver = saved;
        }
    }
    void tellOrigin()
    {
        const auto &history = m_snapshot.plan->history;
        const auto made = std::find_if(history.rbegin(), history.rend(), [](const auto &record) {
            return std::ranges::any_of(record.summary, [](const SummaryEntry &entry) {
                return entry.key == "peak_bytes_after";
            });
        });
        const QString device = fromUtf8(m_plan.device);
        m_result.origin =
            made == history.rend() ? device : fromUtf8(made->pass) + QStringLiteral(", ") + device;
        if (made != history.rend() && made != history.rbegin())
            m_result.notes << TimelineSourceText::tr(
                                  "%1 changed the plan since: its steps are not these")
                                  .arg(fromUtf8(history.back().pass));
        if (!m_plan.unrealized.empty())
            m_result.notes << TimelineSourceText::tr(
                                  "the graph that is shown is the one before: %1")
                                  .arg(fromUtf8(m_plan.unrealized));
    }

    const Snapshot &m_snapshot;
    const Graph &m_graph;
    const MemoryPlan &m_plan;
    std::unordered_map<std::string, TensorId> m_tensors;
    std::unordered_map<std::string, NodeId> m_nodes;
    std::set<std::string> m_swapped;
    MemoryTimeline m_result;
};

/// "a, b, c and 4 more".
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
        tensor.first = life.first;
        tensor.last = life.last;
        tensor.bytes = life.bytes;
        tensor.offset = life.offset;
        tensor.kind = timelineClassOf(graph, life.tensor, plan.training && !snapshot.nested);
        if (life.output && tensor.kind == MemoryTimeline::Class::Activation)
            tensor.kind = MemoryTimeline::Class::Output; // it is given out under another name
        for (const TensorId view : life.views)
            result.views.push_back(
                {view, graph.producer(view), std::uint32_t(result.tensors.size())});
        result.tensors.push_back(std::move(tensor));
    }
    for (const LiveTensors::Life &life : live->lives)
        if (life.takesOver >= 0)
            result.tensors[std::size_t(life.takesOver)].takenOver = life.bytes;
    if (!live->steps.empty())
        addExtras(result);
    result.origin =
        options.blocks
            ? TimelineSourceText::tr("order of the fusion blocks, sizes of tensors alone")
            : TimelineSourceText::tr("order of the graph, sizes of tensors alone");
    if (!live->unsized.empty())
        result.notes << TimelineSourceText::tr(
                            "not counted, for their extents are not known before the model "
                            "runs: %1")
                            .arg(listOf(graph, live->unsized));
    return finished(std::move(result));
}

} // namespace

TimelinePointer timelineOf(const Snapshot &snapshot, std::stop_token stop)
{
    const auto &memory = snapshot.plan->memory;
    if (memory && !memory->steps.empty() && !snapshot.nested)
        return PlannedTimeline(snapshot, *memory).make(stop);
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
