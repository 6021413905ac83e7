// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/stand_ins.h"

#include "engine/rewrite/terms/terms.h"

namespace graphloom::dnnfusion {

namespace {

constexpr std::string_view domain = "graphloom.kept";

} // namespace

StandIns::StandIns(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &kept)
    : m_original(graph), m_kept(kept)
{
    const GraphTerms terms(graph, opsets);
    for (const NodeId id : kept)
        m_flops += terms.facts(id).cost.flops;
}

Result<Graph> StandIns::put(const Graph &graph) const
{
    GraphEditor editor(graph);
    for (const NodeId id : m_kept) {
        Node node = graph.node(id);
        // Give each a distinct operator, so that no two calls are equal.
        node.op += std::to_string(id.index);
        node.domain = domain;
        editor.replaceNode(id, std::move(node));
    }
    return std::move(editor).finish();
}

Result<Graph> StandIns::removed(const Graph &graph) const
{
    GraphEditor editor(graph);
    for (const NodeId id : m_kept) {
        if (!graph.contains(id)) // no longer needed
            continue;
        Node node = graph.node(id);
        node.op = m_original.node(id).op;
        node.domain = m_original.node(id).domain;
        editor.replaceNode(id, std::move(node));
    }
    return std::move(editor).finish();
}

Result<RewriteLog> StandIns::removed(RewriteLog log) const
{
    if (m_kept.empty())
        return log;
    for (RewriteStep &step : log.steps)
        for (Graph *graph : {&step.before, &step.after}) {
            GL_TRY_RESULT(restored, removed(*graph));
            *graph = std::move(*restored);
        }
    log.flopsBefore += m_flops;
    log.flopsAfter += m_flops;
    return log;
}

} // namespace graphloom::dnnfusion
