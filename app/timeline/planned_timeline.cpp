// SPDX-License-Identifier: GPL-3.0-or-later
// Builds timelines of plans from the memory plan that a pass reports.
#include "app/common/format.h"
#include "app/timeline/timeline_parts.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace graphloom {

namespace {

struct PlannedTimelineText {
    Q_DECLARE_TR_FUNCTIONS(MemoryTimeline)
};

/// Builds a timeline from a plan's MemoryPlan.
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
        m_result.arenaBytes = arena();
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
        tellRealized();
        return stop.stop_requested() ? nullptr : finished(std::move(m_result));
    }

private:
    /// Returns the bytes of the arena in which the lives have their offsets. That of a plan which
    /// is realized has other ones, for the tensors of its graph (tellRealized()).
    std::int64_t arena() const
    {
        if (!m_plan.realized)
            return m_plan.arenaBytes - m_plan.residentBytes;
        std::int64_t bytes = 0;
        for (const MemoryPlan::Life &life : m_plan.lives)
            bytes = std::max(bytes, life.offset + life.bytes);
        for (const MemoryPlan::Step &step : m_plan.steps)
            bytes =
                std::max(bytes, step.bytes - m_plan.residentBytes); // workspaces have no offsets
        return bytes;
    }
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
    /// Finds bytes that in-place steps count once for two lives: the plan only has the sum.
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
            m_result.notes << PlannedTimelineText::tr("out of date: %1 has changed the plan since")
                                  .arg(fromUtf8(history.back().pass));
        if (!m_plan.unrealized.empty())
            m_result.notes << PlannedTimelineText::tr("showing the previous graph: %1")
                                  .arg(fromUtf8(m_plan.unrealized));
    }

    /// The search counts all parts of a region as one step, with the greatest of them.
    void tellRealized()
    {
        const std::int64_t peak = *m_snapshot.peakBytes;
        if (m_plan.realized && peak != m_plan.after.peakBytes)
            m_result.notes << PlannedTimelineText::tr("with every part a node: peak %1, arena %2")
                                  .arg(formatBytes(double(peak)),
                                       formatBytes(
                                           double(m_plan.arenaBytes - m_plan.residentBytes)));
    }

    const Snapshot &m_snapshot;
    const Graph &m_graph;
    const MemoryPlan &m_plan;
    std::unordered_map<std::string, TensorId> m_tensors;
    std::unordered_map<std::string, NodeId> m_nodes;
    std::set<std::string> m_swapped;
    MemoryTimeline m_result;
};

} // namespace

TimelinePointer plannedTimeline(const Snapshot &snapshot, const MemoryPlan &plan,
                                std::stop_token stop)
{
    return PlannedTimeline(snapshot, plan).make(stop);
}

} // namespace graphloom
