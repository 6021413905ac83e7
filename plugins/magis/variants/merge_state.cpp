// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/variants/merge_state.h"

namespace graphloom::magis {

namespace {

std::string labelsOf(const Graph &graph, const std::vector<NodeId> &nodes)
{
    std::string text;
    for (const NodeId id : nodes)
        text += (text.empty() ? "" : ", ") + graph.node(id).label();
    return text;
}

} // namespace

Result<MergeState> MergeState::of(const Graph &graph, const Opsets &opsets, const Device &device,
                                  std::span<const TensorId> variables, Views views)
{
    GL_TRY_RESULT(costs, GraphCosts::of(graph, opsets, device, views));
    return MergeState(graph, opsets, variables, *std::move(costs));
}

Result<MergeState> MergeState::with(std::span<const RuleSite *const> sites) const
{
    MergeState state = *this;
    for (const RuleSite *site : sites)
        if (stillApplies(state.m_graph, *site))
            GL_TRY(state.apply(*site));
    return state;
}

Result<void> MergeState::apply(const RuleSite &site)
{
    GraphChange change(m_graph, m_opsets, m_variables);
    site.apply(change);
    RewriteStep step;
    step.rule = site.rule->name;
    step.category = site.rule->category;
    step.where = labelsOf(m_graph, site.nodes);
    auto changed = std::move(change).finish();
    if (!changed)
        return fail(Error::Kind::Fault,
                    "rule \"" + site.rule->name + "\" breaks the graph: " + changed.error().message,
                    changed.error().where);
    step.removed = change.removed();
    step.added = change.added();
    GL_TRY(m_costs.accept(*changed, step.removed, step.added));
    step.setParts(m_graph, *changed);
    m_graph = *std::move(changed);
    for (const std::string &rule : site.afterwards) {
        RewriteStep before = step;
        before.rule = rule;
        before.category = "interim";
        before.after = before.before;
        before.removed = before.added = {};
        m_log.steps.push_back(std::move(before));
    }
    m_log.steps.push_back(std::move(step));
    return {};
}

} // namespace graphloom::magis
