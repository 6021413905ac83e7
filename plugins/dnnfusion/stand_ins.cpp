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

Node StandIns::restored(NodeId id, Node node) const
{
    node.op = m_original.node(id).op;
    node.domain = m_original.node(id).domain;
    return node;
}

Result<Graph> StandIns::removed(const Graph &graph) const
{
    GraphEditor editor(graph);
    for (const NodeId id : m_kept)
        if (graph.contains(id)) // is still needed
            editor.replaceNode(id, restored(id, graph.node(id)));
    return std::move(editor).finish();
}

RewriteLog StandIns::removed(RewriteLog log) const
{
    for (RewriteStep &step : log.steps)
        for (GraphPart *part : {&step.before, &step.after})
            for (const NodeId id : m_kept)
                if (const auto found = part->nodes.find(id); found != part->nodes.end())
                    found->second = std::make_shared<const Node>(restored(id, *found->second));
    log.flopsBefore += m_flops;
    log.flopsAfter += m_flops;
    return log;
}

} // namespace graphloom::dnnfusion
