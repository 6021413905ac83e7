// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/plan_builder.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Changes of a fusion plan by hand. Each gives the changed plan, with mapping types, interfaces,
/// borders and statistics kept true, or fails (Usage) with the reason, in words for the user, why
/// the blocks cannot be so: an opaque operator, a cycle, a cell of Table 3 or a constraint. Yellow
/// cells are the user's to decide. Locked blocks refuse. What an edit makes is locked, so that
/// passes keep it.
class BlockEditor {
public:
    /// What all of these ask about stays with the caller.
    BlockEditor(const BlockMerger &merger, const FusionPlan &plan)
        : m_merger(merger), m_graph(merger.rules().ecg().graph()), m_plan(plan)
    {
    }

    /// All blocks into one.
    Result<FusionPlan> merge(std::span<const std::uint32_t> blocks) const;
    /// The nodes, all of one block, become a block of their own; what stays behind may fall apart
    /// into several, each connected.
    Result<FusionPlan> split(std::span<const NodeId> nodes) const;
    /// The node leaves its block for another.
    Result<FusionPlan> move(NodeId node, std::uint32_t block) const;
    /// Never refused.
    FusionPlan withLock(std::uint32_t block, bool locked) const;

private:
    struct Draft;
    Result<void> checkUnlocked(std::uint32_t block) const;
    Draft draft() const;
    Result<FusionPlan> finished(Draft draft, std::vector<BlockGraph::Block> changed) const;

    const BlockMerger &m_merger;
    const Graph &m_graph;
    const FusionPlan &m_plan;
};

} // namespace graphloom
