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

/// Search for cheaper blocks than those of a greedy plan: two neighbours become one, or a part of
/// a block moves across the border to the neighbour that it reads from or writes for. All that
/// leads to blocks that BlockRules allows and to no cycle; cost is the sum over the blocks.
class BlockSearch {
public:
    /// A state of the search; shares what it left alone with the state it came from.
    struct State {
        std::shared_ptr<const BlockGraph> blocks;
        double seconds = 0;
        std::uint64_t hash = 0;
        /// Blocks beside which something has changed since their moves were looked at.
        std::set<BlockGraph::Block> fresh;
    };

    /// `marks`: blocks that stay as they are if they are locked.
    BlockSearch(const BlockMerger &merger, const BlockMarks &marks, std::stop_token stop = {})
        : m_merger(merger), m_marks(marks), m_stop(std::move(stop))
    {
    }

    State start(const BlockGraph &blocks) const;
    double cost(const State &state) const { return state.seconds; }
    static constexpr std::string_view costMeaning = "modelled seconds of one run";
    std::uint64_t hash(const State &state) const { return state.hash; }
    /// Stopped, it gives the states that there are, each whole.
    std::vector<State> expand(const State &state) const;
    /// The most steps that expand() made without asking whether to stop.
    std::uint64_t longestSteps() const;
    /// Why neighbours did not become one block, or parts of them, each pair counted once.
    std::vector<SearchRecord::Refusal> refusals() const;

private:
    using Block = BlockGraph::Block;
    using Nodes = std::vector<NodeId>;

    /// What a set of nodes costs as a block; infinite when it cannot be one.
    double secondsOf(const Nodes &nodes) const;
    bool isLocked(Block block) const;
    /// Across the border between a block and one that reads from it.
    struct BorderMove {
        double gain;
        bool forwards; // to the block that reads; a merge counts as backwards
        Nodes nodes;   // that go over; empty: all of the reading block
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
    // Blocks and borders recur in most states; what is known of them is kept by the hash of their
    // nodes.
    mutable std::mutex m_mutex;
    mutable std::unordered_map<std::uint64_t, double> m_seconds;
    mutable std::unordered_map<std::uint64_t, BorderMoves> m_moves;
    mutable std::map<BlockBorder::Cause, SearchRecord::Refusal> m_refusals;
    mutable std::uint64_t m_longest = 0;
};

} // namespace graphloom
