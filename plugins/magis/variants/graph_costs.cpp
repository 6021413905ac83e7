// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/graph_costs.h"

#include "engine/cost/call_work.h"
#include "engine/ops/derive/passing.h"

namespace graphloom::magis {

Result<double> secondsOf(const Graph &graph, NodeId id, const Opsets &opsets, const Device &device,
                         Views views)
{
    const Node &node = graph.node(id);
    const Call call(node, operandsOf(graph, node), opsets(node.domain));
    GL_TRY_CONST(description, describe(call));
    const auto isRun = [&](int output) {
        return views == Views::Runs && inputRunHandedOn(*description, call, output).has_value();
    };
    bool stays = !description->isOpaque();
    for (int o = 0; stays && o < int(node.outputs.size()); ++o)
        stays = (node.outputs.size() == 1 && inputHandedOn(*description, call, o)) || isRun(o);
    return stays ? 0 : kernelSeconds(device, CallWork(*description, call).work());
}

Result<GraphCosts> GraphCosts::of(const Graph &graph, const Opsets &opsets, const Device &device,
                                  Views views)
{
    GraphCosts costs(opsets, device, views);
    const std::vector<NodeId> nodes(graph.order().begin(), graph.order().end());
    GL_TRY(costs.accept(graph, {}, nodes));
    return costs;
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
        GL_TRY_CONST(seconds, secondsOf(graph, id, m_opsets, m_device, m_views));
        m_seconds[id.index] = *seconds;
        m_total += *seconds;
    }
    return {};
}

} // namespace graphloom::magis
