// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Memory hot-spots (MAGIS 2.1): buffers that are alive where the most memory is needed, in the
/// graph's order without fission.
std::vector<int> hotSpots(const Trace &trace, std::int64_t peak);

/// Immediate dominators of the nodes of a dimension, entered from all nodes that no other one
/// leads to: by place in `dimension.nodes`, -1 for those below the entry only.
std::vector<int> dominators(const Graph &graph, const GraphDimension &dimension);

/// Heat and score (eq. 3 and 4, with n = 2), in bytes.
struct NodeScore {
    double heat = 0, score = 0;
};
class RegionScores {
public:
    RegionScores(const MemoryGraph &memory, std::span<const int> hotSpots);
    /// Of nodes that are split together: the bytes of hot-spots that they write, and eq. 4 with
    /// what they read from outside and that is no hot-spot.
    NodeScore of(std::span<const NodeId> nodes);

private:
    const MemoryGraph &m_memory;
    std::vector<bool> m_hot; // by buffer
    int m_round = 0;
    std::vector<int> m_mark, m_counted; // by node and buffer: the round in which it was seen
};

/// Of what each node of a dimension dominates, by place.
std::vector<NodeScore> scoresOf(const MemoryGraph &memory, const GraphDimension &dimension,
                                std::span<const int> dominators, std::span<const int> hotSpots);

/// Algorithm 1: candidates for fission, of every dimension of the hot-spots, in `levels` intervals
/// of scores. Beyond the paper: the whole dimension at once, and dimensions with sliding windows.
/// Added to the table; gives their numbers there. Where it is stopped, what it has by then.
std::vector<int> buildFissionTree(const SearchSpace &space, std::span<const int> hotSpots,
                                  int levels, const std::stop_token &stop = {});

/// Candidates around the steps where a state needs most, or nearly so: runs of the order, as far as
/// they have one dimension, that begin and end where less is alive. `count` of them are tried, at
/// random; what fits at one peak is looked for at all peaks of the same kind. (An extension:
/// Algorithm 1 has sub-graphs below one node only.)
std::vector<int> fissionsAround(const SearchSpace &space, const State &state, const Trace &trace,
                                std::size_t count, std::uint64_t seed);

} // namespace graphloom::magis
