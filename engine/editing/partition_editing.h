// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/fusion/blocks/block_graph.h"
#include "engine/ops/describe/operator_table.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Changes of a partition by hand. Each gives the changed partition, with its order and weights, or
/// fails (Usage) with the reason, in words for the user, and the nodes that are the cause: a cycle
/// among subgraphs (AGO Definition 1), a weight that reaches the threshold, an operator that nobody
/// knows and that stays alone, a lock. What an edit makes is locked, so that passes keep it.
/// Subgraphs need not be connected: AGO joins what lies side by side, too.
class PartitionEditor {
public:
    /// The graph and the partition stay with the caller.
    PartitionEditor(const Graph &graph, const Opsets &opsets, const Partition &partition)
        : m_graph(graph), m_opsets(opsets), m_partition(partition)
    {
    }

    /// All subgraphs into one.
    Result<Partition> merge(std::span<const std::uint32_t> subgraphs) const;
    /// The nodes, all of one subgraph, become a subgraph of their own.
    Result<Partition> split(std::span<const NodeId> nodes) const;
    /// The node leaves its subgraph for another.
    Result<Partition> move(NodeId node, std::uint32_t subgraph) const;
    /// Never refused.
    Partition withLock(std::uint32_t subgraph, bool locked) const;

private:
    struct Draft;
    Draft draft() const;
    Result<void> checkUnlocked(std::uint32_t subgraph) const;
    Result<double> weightOf(std::span<const NodeId> nodes) const;
    Result<Partition> finished(Draft draft, std::span<const BlockGraph::Block> changed) const;

    const Graph &m_graph;
    const Opsets &m_opsets;
    const Partition &m_partition;
};

} // namespace graphloom
