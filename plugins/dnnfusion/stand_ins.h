// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"
#include "engine/plan/rewrite_log.h"

#include <vector>

namespace graphloom::dnnfusion {

/// Calls that rewriting must leave alone, such as those of locked blocks. In their place stand
/// calls of operators that no rule knows; everything about their values stays known.
class StandIns {
public:
    /// The nodes of the graph that keep what they are.
    StandIns(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &kept);

    bool empty() const { return m_kept.empty(); }
    /// The graph with stand-ins.
    Result<Graph> put(const Graph &graph) const;
    /// Such a graph, or a log of steps on it, with the calls themselves again. The log's FLOPs then
    /// count them.
    Result<Graph> removed(const Graph &graph) const;
    Result<RewriteLog> removed(RewriteLog log) const;

private:
    Graph m_original;
    std::vector<NodeId> m_kept;
    double m_flops = 0; // of the kept calls
};

} // namespace graphloom::dnnfusion
