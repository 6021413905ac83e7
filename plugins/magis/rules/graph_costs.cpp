// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/graph_costs.h"

#include "engine/cost/call_work.h"
#include "engine/ops/passing.h"

namespace graphloom::magis {

Result<double> secondsOf(const Graph &graph, NodeId id, const Opsets &opsets, const Device &device)
{
    const Node &node = graph.node(id);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    const Call call(node, std::move(inputs), opsets(node.domain));
    const auto description = describe(call);
    if (!description)
        return tl::unexpected(description.error());
    bool stays = !description->isOpaque();
    for (int o = 0; stays && o < int(node.outputs.size()); ++o)
        stays = inputHandedOn(*description, call, o) || inputRunHandedOn(*description, call, o);
    return stays ? 0 : kernelSeconds(device, CallWork(*description, call).work());
}

Result<GraphCosts> GraphCosts::of(const Graph &graph, const Opsets &opsets, const Device &device)
{
    GraphCosts costs(opsets, device);
    const std::vector<NodeId> nodes(graph.order().begin(), graph.order().end());
    if (auto known = costs.accept(graph, {}, nodes); !known)
        return tl::unexpected(known.error());
    return costs;
}

Result<double> GraphCosts::change(const Graph &graph, const std::vector<NodeId> &removed,
                                  const std::vector<NodeId> &added) const
{
    double change = 0;
    for (const NodeId id : removed)
        if (id.index < m_seconds.size())
            change -= m_seconds[id.index];
    for (const NodeId id : added) {
        const auto seconds = secondsOf(graph, id, m_opsets, m_device);
        if (!seconds)
            return tl::unexpected(seconds.error());
        change += *seconds;
    }
    return change;
}

Result<void> GraphCosts::accept(const Graph &graph, const std::vector<NodeId> &removed,
                                const std::vector<NodeId> &added)
{
    for (const NodeId id : removed)
        if (id.index < m_seconds.size()) {
            m_total -= m_seconds[id.index];
            m_seconds[id.index] = 0;
        }
    m_seconds.resize(graph.nodeBound(), 0);
    for (const NodeId id : added) {
        const auto seconds = secondsOf(graph, id, m_opsets, m_device);
        if (!seconds)
            return tl::unexpected(seconds.error());
        m_seconds[id.index] = *seconds;
        m_total += *seconds;
    }
    return {};
}

} // namespace graphloom::magis
