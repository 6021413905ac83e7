// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/opsets.h"
#include "engine/plan/rewrite_log.h"

#include <vector>

namespace graphloom::dnnfusion {

/// Protects calls that rewriting must leave alone, such as those of locked blocks. Calls of
/// operators that no rule knows stand in for them; everything about their values stays known.
class StandIns {
public:
    /// Protects the nodes `kept` of the graph.
    StandIns(const Graph &graph, const Opsets &opsets, const std::vector<NodeId> &kept);

    bool empty() const { return m_kept.empty(); }
    /// Returns the graph with stand-ins.
    Result<Graph> put(const Graph &graph) const;
    /// Returns a graph with stand-ins, or a log of steps on such a graph, with the original calls
    /// restored. The FLOPs of the log then include them.
    Result<Graph> removed(const Graph &graph) const;
    RewriteLog removed(RewriteLog log) const;

private:
    Node restored(NodeId id, Node node) const;

    Graph m_original;
    std::vector<NodeId> m_kept;
    double m_flops = 0; // of the kept calls
};

} // namespace graphloom::dnnfusion
