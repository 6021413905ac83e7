// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/steps.h"
#include "engine/base/typed_index.h"
#include "engine/ir/cow_vector.h"
#include "engine/plan/partition.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// Represents the quotient graph of a graph whose nodes are being grouped into blocks. Blocks are
/// named by numbers that stay the same as long as the block exists; merging keeps one of the two
/// names. Copies share what they have in common. As long as there is no cycle, a topological order
/// of the blocks is maintained, so that checks for cycles only look at the blocks between those in
/// question.
class BlockGraph {
public:
    /// Names a block; counts the nodes of the graph when each was a block of its own.
    using Block = TypedIndex<struct BlockNameTag>;

    /// Puts every node into a block of its own; block i is the node at position i of the graph's
    /// order.
    explicit BlockGraph(const Graph &graph);
    /// Takes the groups of a partition as blocks; `names` gets their names here.
    BlockGraph(const Graph &graph, const Partition &partition, std::vector<Block> &names);

    const Graph &graph() const { return *m_graph; }
    Block blockOf(NodeId node) const { return blockAt(positionOf(node)); }
    /// Returns the nodes in the graph's order; empty for a name that no longer exists. Valid until
    /// the block changes.
    const std::vector<NodeId> &nodes(Block block) const { return *m_nodes[place(block)]; }
    /// Returns all names, including those that no longer exist.
    IndexRange<Block> names() const { return firstIndices<Block>(m_nodes.size()); }
    std::size_t count() const { return m_count; }
    /// Returns the blocks that read from the block, each once, ascending.
    std::vector<Block> successors(Block block) const;
    /// Returns the blocks that write for the block, each once, ascending.
    std::vector<Block> predecessors(Block block) const;

    /// Tells whether the blocks merged into one would depend on a block that depends on them. Each
    /// reader looked at is a step.
    bool wouldCycle(std::span<const Block> blocks, Steps *steps = nullptr) const;
    bool wouldCycle(Block a, Block b, Steps *steps = nullptr) const
    {
        const Block both[] = {a, b};
        return wouldCycle(both, steps);
    }
    /// Returns the nodes along a path that leaves the blocks and comes back to them, including
    /// those of the blocks at its ends: the reason for wouldCycle(). Empty if there is no such
    /// path.
    std::vector<NodeId> cycleThrough(std::span<const Block> blocks) const;
    /// Merges both blocks under the name of a, with the nodes in the graph's order. Unless
    /// wouldCycle(), there is no cycle afterwards, either.
    void merge(Block a, Block b);
    /// Returns the nodes of both blocks, in the graph's order.
    std::vector<NodeId> joined(Block a, Block b) const;
    /// Moves the nodes, all of one block but not all that it has, into a block of their own.
    Block split(std::span<const NodeId> nodes);
    /// Moves the nodes, all of one block but not all that it has, to another block.
    void move(std::span<const NodeId> nodes, Block to);

    /// Returns the blocks in a topological order, as close to the graph's as possible; unweighted.
    /// Requires that there is no cycle.
    Partition partition(std::string method) const;

private:
    /// Counts the nodes in the graph's order.
    using Position = TypedIndex<struct NodePositionTag>;
    /// Counts the places in the maintained topological order, one for each name.
    using Rank = TypedIndex<struct BlockRankTag>;
    using Nodes = std::shared_ptr<const std::vector<NodeId>>;
    using Readers = IndexedVector<Position, std::vector<Position>>;
    static constexpr std::size_t chunk = 64;

    template <class I> static std::size_t place(I index) { return std::size_t(index.number()); }
    Position positionOf(NodeId node) const { return Position(m_graph->position(node)); }
    NodeId nodeAt(Position position) const { return m_graph->order()[place(position)]; }
    Block blockAt(Position position) const { return m_blockOf[place(position)]; }
    Rank rankOf(Block block) const { return m_rank[place(block)]; }
    Block rankedAt(Rank rank) const { return m_ranked[place(rank)]; }

    void setBlock(NodeId node, Block block) { m_blockOf.mutate(place(positionOf(node))) = block; }
    void setNodes(Block block, std::vector<NodeId> nodes);
    void join(Block a, Block b);
    void take(std::span<const NodeId> nodes, Block to);

    template <class Visit> void forEachReader(Block block, Visit visit) const;
    template <class Visit> void forEachWriter(Block block, Visit visit) const;
    void setRank(Block block, Rank rank);
    bool arrange(Rank first, Rank last);
    struct Between;
    std::optional<Between> between(Block a, Block b) const;

    const Graph *m_graph;
    std::shared_ptr<const Readers> m_readers;
    CowVector<Block, chunk> m_blockOf; // by position
    CowVector<Nodes, chunk> m_nodes;   // by block
    CowVector<Rank, chunk> m_rank;     // by block
    CowVector<Block, chunk> m_ranked;  // by rank
    bool m_ordered = true;             // every block comes after those that it depends on
    std::size_t m_count;
};

} // namespace graphloom
