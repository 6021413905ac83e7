// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/blocks/block_merger.h"
#include "engine/fusion/blocks/plan_builder.h"
#include "engine/search/best_first.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>

namespace graphloom {

/// Searches for cheaper blocks than those of a greedy plan: two neighbours are merged, or a part of
/// a block moves across the border to the neighbour that it reads from or writes for. All moves
/// lead to blocks that BlockRules allows and to no cycle; the cost is the sum over the blocks.
class BlockSearch {
public:
    /// Represents a state of the search; shares all that is unchanged with the state it came from.
    struct State {
        std::shared_ptr<const BlockGraph> blocks;
        double seconds = 0;
        std::uint64_t hash = 0;
        /// Blocks whose neighbourhood has changed since their moves were last looked at.
        std::set<BlockGraph::Block> fresh;
    };

    /// Creates a search; blocks that are locked in `marks` stay as they are.
    BlockSearch(const BlockMerger &merger, const BlockMarks &marks, std::stop_token stop = {})
        : m_merger(merger), m_marks(marks), m_stop(std::move(stop))
    {
    }

    State start(const BlockGraph &blocks) const;
    double cost(const State &state) const { return state.seconds; }
    static constexpr std::string_view costMeaning = "modelled seconds of one run";
    std::uint64_t hash(const State &state) const { return state.hash; }
    /// Returns the successors of a state; if stopped, those found so far, each complete.
    std::vector<State> expand(const State &state) const;
    /// Returns the largest number of steps that expand() made between two checks for a stop.
    std::uint64_t longestSteps() const;
    /// Returns why neighbouring blocks, or parts of them, were not merged; each pair is counted
    /// once.
    std::vector<SearchRecord::Refusal> refusals() const;

private:
    using Block = BlockGraph::Block;
    using Nodes = std::vector<NodeId>;

    /// Returns the cost of a set of nodes as a block; infinite if it cannot be one.
    double secondsOf(const Nodes &nodes) const;
    bool isLocked(Block block) const;
    /// Describes a move across the border between a block and one that reads from it.
    struct BorderMove {
        double gain;
        bool forwards; // to the block that reads; a merge counts as backwards
        Nodes nodes;   // the nodes that move; empty: all of the reading block
    };
    using BorderMoves = std::shared_ptr<const std::vector<BorderMove>>;
    BorderMoves movesAcross(const Graph &graph, const Nodes &own, const Nodes &others,
                            Steps &steps) const;
    struct Move;
    void collect(const State &state, Block block, std::vector<Move> &moves, Steps &steps) const;
    std::optional<State> applied(const State &state, const Move &move, Steps &steps) const;

    void noteRefusal(const Nodes &nodes, const BlockAnswer::Refusal &refusal) const;

    const BlockMerger &m_merger;
    const BlockMarks &m_marks;
    std::stop_token m_stop;
    // Blocks and borders recur in most states; facts about them are cached by the hash of their
    // nodes.
    mutable std::mutex m_mutex;
    mutable std::unordered_map<std::uint64_t, double> m_seconds;
    mutable std::unordered_map<std::uint64_t, BorderMoves> m_moves;
    mutable std::map<BlockBorder::Cause, SearchRecord::Refusal> m_refusals;
    mutable std::uint64_t m_longest = 0;
};

} // namespace graphloom
