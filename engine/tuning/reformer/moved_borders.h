// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_graph.h"

#include <memory>
#include <optional>
#include <span>

namespace graphloom {

/// Moves the borders of a partition so that blocks do not cross them. The partition stays acyclic,
/// its subgraphs stay below the threshold, and locked ones keep their nodes.
class MovedBorders {
public:
    /// Creates borders that have not moved; without a partition there are none, and any block is
    /// within them.
    MovedBorders(const Graph &graph, std::shared_ptr<const Partition> partition);

    /// Tells whether the nodes lie in one subgraph, or can be moved to one of those that they are
    /// in.
    bool canHold(std::span<const NodeId> nodes) const
    {
        return !m_partition || holding(nodes).has_value();
    }
    /// Moves the nodes to one subgraph, if canHold().
    void hold(std::span<const NodeId> nodes);
    /// Returns the partition with its borders where they are now; null if there is none.
    std::shared_ptr<const Partition> partition() const;

private:
    using Name = BlockGraph::Block;

    std::optional<BlockGraph> holding(std::span<const NodeId> nodes) const;
    bool fits(const BlockGraph &subgraphs, Name target) const;

    std::shared_ptr<const Partition> m_partition;
    std::optional<BlockGraph> m_subgraphs;
    bool m_hasMoved = false;
};

} // namespace graphloom
