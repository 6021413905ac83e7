// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"
#include "engine/fusion/blocks/block_graph.h"

#include <unordered_map>

namespace graphloom {

/// What came of asking whether two blocks may be one.
struct MergeAnswer {
    std::optional<BlockAnswer::Refusal> refusal;
    std::vector<NodeId> nodes; // of both
    BlockAnswer block;         // as one; meaningful without a refusal but for its cost
    double secondsApart = 0, secondsTogether = 0;
};

/// The one place that says whether blocks may be fused: planner, search, editing by hand and the
/// explanation of borders all ask here.
class BlockMerger {
public:
    BlockMerger(const BlockRules &rules, const BlockCost &cost) : m_rules(rules), m_cost(cost) {}

    const BlockRules &rules() const { return m_rules; }
    const BlockCost &cost() const { return m_cost; }

    /// Legality alone: opaque operators, mapping types, limits, cycles. Steps are the nodes of the
    /// two, and those that a cycle might go through.
    MergeAnswer legality(const BlockGraph &graph, BlockGraph::Block a, BlockGraph::Block b,
                         Steps *steps = nullptr) const;
    /// Legality; and where Table 3 leaves a cell open, what the two cost apart and together.
    MergeAnswer profit(const BlockGraph &graph, BlockGraph::Block a, BlockGraph::Block b,
                       Steps *steps = nullptr) const;
    /// Of a block that is legal.
    double secondsOf(std::span<const NodeId> nodes, const BlockAnswer &answer) const
    {
        return m_cost.of(nodes, answer).seconds;
    }

private:
    const BlockRules &m_rules;
    const BlockCost &m_cost;
};

} // namespace graphloom
