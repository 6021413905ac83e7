// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/fusion/blocks/block_graph.h"
#include "engine/ir/opsets.h"

#include <cstdint>
#include <span>

namespace graphloom {

/// Changes a partition by hand. Each function returns the changed partition, with its order and
/// weights, or fails (Usage) with the reason, in words for the user, and the nodes that are the
/// cause: a cycle among subgraphs (AGO Definition 1), a weight that reaches the threshold, an
/// unknown operator, which must stay alone, or a lock. Subgraphs that an edit makes are locked, so
/// that passes keep them. Subgraphs need not be connected: AGO also joins nodes that lie side by
/// side.
class PartitionEditor {
public:
    /// Creates an editor; the caller keeps the graph and the partition alive.
    PartitionEditor(const Graph &graph, const Opsets &opsets, const Partition &partition)
        : m_graph(graph), m_opsets(opsets), m_partition(partition)
    {
    }

    /// Merges all of the subgraphs into one.
    Result<Partition> merge(std::span<const std::uint32_t> subgraphs) const;
    /// Moves the nodes, all of one subgraph, into a subgraph of their own.
    Result<Partition> split(std::span<const NodeId> nodes) const;
    /// Moves the node from its subgraph to another.
    Result<Partition> move(NodeId node, std::uint32_t subgraph) const;
    /// Returns the partition with the subgraph locked or unlocked; never refused.
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
