// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/operator_table.h"
#include "engine/plan/fusion_plan.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Changes of a fusion plan by hand. Each gives the changed plan, with mapping types, interfaces,
/// borders and statistics kept true, or fails (Usage) with the reason, in words for the user, why
/// the blocks cannot be so: an opaque operator, a cycle, a cell of Table 3 or a constraint.
/// Locked blocks refuse. What an edit makes is locked, so that passes keep it.
class BlockEditor {
public:
    BlockEditor(const Graph &graph, const Opsets &opsets, const FusionPlan &plan)
        : m_graph(graph), m_opsets(opsets), m_plan(plan)
    {
    }

    /// All blocks into one.
    Result<FusionPlan> merge(std::span<const std::uint32_t> blocks) const;
    /// The nodes, all of one block, become a block of their own; what stays behind may fall apart
    /// into several, so that none depends on itself through another.
    Result<FusionPlan> split(std::span<const NodeId> nodes) const;
    /// The node leaves its block for another.
    Result<FusionPlan> move(NodeId node, std::uint32_t block) const;
    /// Never refused.
    FusionPlan withLock(std::uint32_t block, bool locked) const;

private:
    const Graph &m_graph;
    const Opsets &m_opsets;
    const FusionPlan &m_plan;
};

} // namespace graphloom
