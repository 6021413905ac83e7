// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/fission/region_part.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

class Divider {
public:
    Divider(const MemoryGraph &memory, const Fission &fission, const Cutting &cutting,
            PartIndex part, const std::function<std::optional<Parts::Interval>(NodeId)> &within)
        : m_memory(memory), m_graph(memory.graph()), m_fission(fission), m_cutting(cutting),
          m_part(part), m_within(within), m_needs(m_graph.tensorBound())
    {
    }

    Result<RegionPart> run()
    {
        const auto &nodes = m_fission.nodes();
        m_result.intervals.resize(nodes.size());
        for (const NodePlace at : nodes.indices().reversed())
            GL_TRY(visit(at));
        for (const auto &[tensor, given] : m_given)
            if (given)
                m_result.gives.emplace(tensor, *given);
        return std::move(m_result);
    }

private:
    /// Returns this part's share of the steps that the parts divide among themselves.
    Parts::Interval share(NodeId id, const Split &split) const
    {
        const Parts::Interval all = m_within(id).value_or(Parts::Interval{0, split.extent});
        std::int64_t unit = split.extent / m_fission.units();
        if (split.extent % m_fission.units() != 0 || all.begin % unit != 0 || all.end % unit != 0)
            unit = 1; // an enclosing fission with windows needs overlapping pieces
        const std::int64_t units = (all.end - all.begin) / unit;
        return {all.begin + unit * m_cutting.begin(units, m_part),
                all.begin + unit * m_cutting.begin(units, m_part + 1)};
    }

    static void widen(Parts::Interval &interval, std::int64_t begin, std::int64_t end)
    {
        if (begin >= end)
            return;
        interval = interval.begin >= interval.end ? Parts::Interval{begin, end}
                                                  : Parts::Interval{std::min(interval.begin, begin),
                                                                    std::max(interval.end, end)};
    }

    Result<void> visit(NodePlace at)
    {
        const NodeId id = m_fission.nodes()[at];
        const Node &node = m_graph.node(id);
        const Split &split = m_fission.splitOf(m_memory, id);
        Parts::Interval &interval = m_result.intervals[at];
        interval = {0, 0};
        for (std::size_t o = 0; o < node.outputs.size(); ++o) {
            const TensorId output = node.outputs[o];
            if (!output.valid())
                continue;
            const SplitTensor &cut = cutOf(split.outputs, o);
            if (std::ranges::binary_search(m_fission.outputs(), output)) {
                const Parts::Interval own = share(id, split);
                widen(interval, own.begin, own.end);
                m_given[output] = partOf(cut, *m_graph.tensor(output).shape, own.begin, own.end);
            }
            const Parts::Interval &need = m_needs[output.index];
            if (cut.isCut() && need.begin < need.end)
                widen(interval, need.begin / cut.step, (need.end + cut.step - 1) / cut.step);
        }
        interval.end = std::min(interval.end, split.extent);
        if (interval.begin >= interval.end)
            return fail(Error::Kind::Model,
                        "has nothing to do in part " + std::to_string(m_part.number() + 1) +
                            " of " + std::to_string(m_cutting.number),
                        node.label());
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const SplitTensor &cut = cutOf(split.inputs, i);
            if (!node.inputs[i].valid() || !cut.isCut())
                continue;
            const TensorPart need =
                partOf(cut, *m_graph.tensor(node.inputs[i]).shape, interval.begin, interval.end);
            widen(m_needs[node.inputs[i].index], need.begin, need.end);
        }
        passGivenOn(id, node, split);
        return {};
    }

    /// Makes the viewed tensor give what its view gives.
    void passGivenOn(NodeId id, const Node &node, const Split &split)
    {
        const auto given = m_given.find(node.outputs[0]);
        if (m_memory.stepOf(id).isValid() || given == m_given.end())
            return;
        const BufferIndex buffer = m_memory.bufferOf(node.outputs[0]);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            const TensorId from = node.inputs[i];
            const SplitTensor &cut = cutOf(split.inputs, i), &to = cutOf(split.outputs, 0);
            if (!from.valid() || m_memory.bufferOf(from) != buffer || !cut.isCut())
                continue;
            const NodeId producer = m_graph.producer(from);
            if (producer.valid() && m_fission.contains(producer) && given->second)
                m_given.try_emplace(from, partOf(cut, *m_graph.tensor(from).shape,
                                                 given->second->begin / to.step,
                                                 given->second->end / to.step));
        }
        given->second.reset(); // the view is recreated from the whole
    }

    const MemoryGraph &m_memory;
    const Graph &m_graph;
    const Fission &m_fission;
    const Cutting m_cutting;
    const PartIndex m_part;
    const std::function<std::optional<Parts::Interval>(NodeId)> &m_within;
    std::vector<Parts::Interval> m_needs; // by tensor, in positions
    std::map<TensorId, std::optional<TensorPart>> m_given;
    RegionPart m_result;
};

} // namespace

Result<RegionPart> regionPart(const MemoryGraph &memory, const Fission &fission,
                              const Cutting &cutting, PartIndex part,
                              const std::function<std::optional<Parts::Interval>(NodeId)> &within)
{
    return Divider(memory, fission, cutting, part, within).run();
}

} // namespace graphloom::magis
