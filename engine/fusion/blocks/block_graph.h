// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/ir/cow_vector.h"
#include "engine/plan/partition.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// The quotient graph of a graph whose nodes are being grouped into blocks. Blocks are named by
/// numbers that stay as long as the block; merging keeps one of the two names. Copies share what
/// they have in common. As long as no cycle was made, a topological order of the blocks is kept
/// current, so that questions about cycles look at the blocks between those asked about only.
class BlockGraph {
public:
    using Block = std::uint32_t;

    /// Every node by itself; block i is the node at position i of the graph's order.
    explicit BlockGraph(const Graph &graph);
    /// The groups of a partition; `names` gets their names here.
    BlockGraph(const Graph &graph, const Partition &partition, std::vector<Block> &names);

    const Graph &graph() const { return *m_graph; }
    Block blockOf(NodeId node) const { return m_blockOf[m_graph->position(node)]; }
    /// In the graph's order; empty for a name that is no more. Valid until the block changes.
    const std::vector<NodeId> &nodes(Block block) const { return *m_nodes[block]; }
    std::uint32_t bound() const { return std::uint32_t(m_nodes.size()); }
    std::size_t count() const { return m_count; }
    /// Blocks that read from / write for the block, each once, ascending.
    std::vector<Block> successors(Block block) const;
    std::vector<Block> predecessors(Block block) const;

    /// Would the blocks as one wait for a block that waits for them? A step is a reader looked at.
    bool wouldCycle(std::span<const Block> blocks, Steps *steps = nullptr) const;
    bool wouldCycle(Block a, Block b, Steps *steps = nullptr) const
    {
        const Block both[] = {a, b};
        return wouldCycle(both, steps);
    }
    /// Why: nodes along a path that leaves the blocks and comes back to them, those of the blocks
    /// at its ends included. Empty when there is none.
    std::vector<NodeId> cycleThrough(std::span<const Block> blocks) const;
    /// The nodes of both, in the graph's order, under the name of a. Unless wouldCycle(), there is
    /// no cycle afterwards, either.
    void merge(Block a, Block b);
    /// The nodes of both blocks, in the graph's order.
    std::vector<NodeId> joined(Block a, Block b) const;
    /// The nodes, all of one block and not all that it has, become a block of their own.
    Block split(std::span<const NodeId> nodes);
    /// The nodes, all of one block and not all that it has, go over to another.
    void move(std::span<const NodeId> nodes, Block to);

    /// The blocks in a topological order, as close to the graph's as that permits; unweighted.
    /// Requires that there is no cycle.
    Partition partition(std::string method) const;

private:
    using Nodes = std::shared_ptr<const std::vector<NodeId>>;
    static constexpr std::size_t chunk = 64;

    void setNodes(Block block, std::vector<NodeId> nodes);
    void join(Block a, Block b);
    void take(std::span<const NodeId> nodes, Block to);

    // The order: ranks are the places in it, one for each name.
    template <class Visit> void forEachReader(Block block, Visit visit) const;
    template <class Visit> void forEachWriter(Block block, Visit visit) const;
    void place(Block block, std::uint32_t rank);
    bool arrange(std::uint32_t first, std::uint32_t last);
    struct Between;
    std::optional<Between> between(Block a, Block b) const;

    const Graph *m_graph;
    std::shared_ptr<const std::vector<std::vector<std::uint32_t>>> m_readers; // by position
    CowVector<Block, chunk> m_blockOf;                                        // by position
    CowVector<Nodes, chunk> m_nodes;
    CowVector<std::uint32_t, chunk> m_rank; // by block
    CowVector<Block, chunk> m_ranked;       // by rank
    bool m_ordered = true;                  // what waits for a block comes after it
    std::size_t m_count;
};

} // namespace graphloom
