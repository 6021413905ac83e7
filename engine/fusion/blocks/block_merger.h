// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_cost.h"
#include "engine/fusion/blocks/block_graph.h"

#include <unordered_map>

namespace graphloom {

/// Holds the answer to whether two blocks may be merged.
struct MergeAnswer {
    std::optional<BlockAnswer::Refusal> refusal;
    std::vector<NodeId> nodes; // of both
    BlockAnswer block;         // the merged block; invalid if refused, except for its cost
    double secondsApart = 0, secondsTogether = 0;
};

/// Decides in one place whether blocks may be fused: planner, search, editing by hand and the
/// explanation of borders all ask here.
class BlockMerger {
public:
    BlockMerger(const BlockRules &rules, const BlockCost &cost) : m_rules(rules), m_cost(cost) {}

    const BlockRules &rules() const { return m_rules; }
    const BlockCost &cost() const { return m_cost; }

    /// Checks legality alone: opaque operators, mapping types, limits, cycles. Steps are the nodes
    /// of the two blocks, and those that a cycle might go through.
    MergeAnswer legality(const BlockGraph &graph, BlockGraph::Block a, BlockGraph::Block b,
                         Steps *steps = nullptr) const;
    /// Checks legality; if Table 3 leaves a cell undecided, also compares the cost of the two
    /// blocks apart and together.
    MergeAnswer profit(const BlockGraph &graph, BlockGraph::Block a, BlockGraph::Block b,
                       Steps *steps = nullptr) const;
    /// Returns the seconds of a legal block.
    double secondsOf(std::span<const NodeId> nodes, const BlockAnswer &answer) const
    {
        return m_cost.of(nodes, answer).seconds;
    }

private:
    const BlockRules &m_rules;
    const BlockCost &m_cost;
};

} // namespace graphloom
