// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/plan_builder.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Changes a fusion plan by hand. Each function returns the changed plan, with mapping types,
/// interfaces, borders and statistics updated, or fails (Usage) with the reason, in words for the
/// user, why such blocks are impossible: an opaque operator, a cycle, a cell of Table 3 or a
/// constraint. Yellow cells are the user's to decide. Locked blocks cannot be changed. Blocks that
/// an edit makes are locked, so that passes keep them.
class BlockEditor {
public:
    /// Creates an editor; the caller keeps the merger and the plan alive.
    BlockEditor(const BlockMerger &merger, const FusionPlan &plan)
        : m_merger(merger), m_graph(merger.rules().ecg().graph()), m_plan(plan)
    {
    }

    /// Merges all of the blocks into one.
    Result<FusionPlan> merge(std::span<const std::uint32_t> blocks) const;
    /// Moves the nodes, all of one block, into a block of their own; what remains may fall apart
    /// into several blocks, each connected.
    Result<FusionPlan> split(std::span<const NodeId> nodes) const;
    /// Moves the node from its block to another.
    Result<FusionPlan> move(NodeId node, std::uint32_t block) const;
    /// Returns the plan with the block locked or unlocked; never refused.
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
