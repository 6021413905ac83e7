// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Returns the memory hot-spots (MAGIS 2.1): buffers that are alive where the most memory is
/// needed, in the graph's order without fission.
std::vector<int> hotSpots(const Trace &trace, std::int64_t peak);

/// Returns the immediate dominators of the nodes of a dimension, entered from all nodes that no
/// other one leads to: by place in `dimension.nodes`, -1 for nodes that only the entry dominates.
std::vector<int> dominators(const Graph &graph, const GraphDimension &dimension);

/// Holds heat and score (eq. 3 and 4, with n = 2), in bytes.
struct NodeScore {
    double heat = 0, score = 0;
};
/// Computes heat and score of sets of nodes.
class RegionScores {
public:
    RegionScores(const MemoryGraph &memory, std::span<const int> hotSpots);
    /// Returns heat and score of nodes that are split together: the heat is the bytes of hot-spots
    /// that they write; the score (eq. 4) subtracts the tensors that they read from outside and
    /// that are not hot-spots.
    NodeScore of(std::span<const NodeId> nodes);

private:
    const MemoryGraph &m_memory;
    std::vector<bool> m_hot; // by buffer
    int m_round = 0;
    std::vector<int> m_mark, m_counted; // by node and buffer: the round in which it was seen
};

/// Returns heat and score of the nodes that each node of a dimension dominates, by its place.
std::vector<NodeScore> scoresOf(const MemoryGraph &memory, const GraphDimension &dimension,
                                std::span<const int> dominators, std::span<const int> hotSpots);

/// Implements Algorithm 1: adds candidates for fission to the table, for every dimension of the
/// hot-spots, in `levels` intervals of scores, and returns their numbers there. Beyond the paper,
/// candidates include the whole dimension at once, and dimensions with sliding windows. If stopped,
/// returns the candidates found so far.
std::vector<int> buildFissionTree(const SearchSpace &space, std::span<const int> hotSpots,
                                  int levels, const std::stop_token &stop = {});

/// Returns candidates around the steps where a state needs the most memory, or nearly so: runs of
/// consecutive steps of the order that share one dimension and begin and end where less is alive.
/// `count` of them are tried, at random; a candidate at one peak is tried at all peaks of the same
/// kind. This is an extension: Algorithm 1 only has subgraphs below one node.
std::vector<int> fissionsAround(const SearchSpace &space, const State &state, const Trace &trace,
                                std::size_t count, std::uint64_t seed);

} // namespace graphloom::magis
