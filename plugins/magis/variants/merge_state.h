// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/rewrite_log.h"
#include "plugins/magis/rules/graph_rule.h"
#include "plugins/magis/variants/graph_costs.h"

namespace graphloom::magis {

/// Holds a graph in the course of merges, with the costs of its nodes and the log of its changes.
/// Copies are cheap compared with finding sites.
class MergeState {
public:
    static Result<MergeState> of(const Graph &graph, const Opsets &opsets, const Device &device,
                                 std::span<const TensorId> variables, Views views);

    const Graph &graph() const { return m_graph; }
    double seconds() const { return m_costs.total(); }
    const RewriteLog &log() const { return m_log; }

    /// Returns the state after applying those of the sites that still apply when it is their turn.
    Result<MergeState> with(std::span<const RuleSite *const> sites) const;

private:
    MergeState(Graph graph, Opsets opsets, std::span<const TensorId> variables, GraphCosts costs)
        : m_graph(std::move(graph)), m_opsets(std::move(opsets)), m_variables(variables),
          m_costs(std::move(costs))
    {
        m_log.strategy = "merging";
    }
    Result<void> apply(const RuleSite &site);

    Graph m_graph;
    Opsets m_opsets;
    std::span<const TensorId> m_variables;
    GraphCosts m_costs;
    RewriteLog m_log;
};

} // namespace graphloom::magis
