// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/magis/search/search_space.h"

namespace graphloom::magis {

/// Returns the memory hot-spots (MAGIS 2.1): buffers that are alive where the most memory is
/// needed, in the graph's order without fission.
std::vector<BufferIndex> hotSpots(const Trace &trace, std::int64_t peak);

/// Holds for each node of a dimension the one that dominates it immediately.
using Dominators = IndexedVector<DimensionPlace, DimensionPlace>;
/// Returns the immediate dominators of the nodes of a dimension, entered from all nodes that no
/// other one leads to; invalid for nodes that only the entry dominates.
Dominators dominators(const Graph &graph, const GraphDimension &dimension);

/// Holds heat and score (eq. 3 and 4, with n = 2), in bytes.
struct NodeScore {
    double heat = 0, score = 0;
};
/// Computes heat and score of sets of nodes.
class RegionScores {
public:
    RegionScores(const MemoryGraph &memory, std::span<const BufferIndex> hotSpots);
    /// Returns heat and score of nodes that are split together: the heat is the bytes of hot-spots
    /// that they write; the score (eq. 4) subtracts the tensors that they read from outside and
    /// that are not hot-spots.
    NodeScore of(std::span<const NodeId> nodes);

private:
    const MemoryGraph &m_memory;
    IndexedVector<BufferIndex, bool> m_hot;
    int m_round = 0;
    // The round in which a node (by its id) and a buffer was seen.
    std::vector<int> m_mark;
    IndexedVector<BufferIndex, int> m_counted;
};

/// Returns heat and score of the nodes that each node of a dimension dominates.
IndexedVector<DimensionPlace, NodeScore> scoresOf(const MemoryGraph &memory,
                                                  const GraphDimension &dimension,
                                                  const Dominators &dominators,
                                                  std::span<const BufferIndex> hotSpots);

/// Implements Algorithm 1: adds candidates for fission to the table, for every dimension of the
/// hot-spots, in `levels` intervals of scores, and returns them. Beyond the paper, candidates
/// include the whole dimension at once, and dimensions with sliding windows. If stopped, returns
/// the candidates found so far.
std::vector<FissionIndex> buildFissionTree(const SearchSpace &space,
                                           std::span<const BufferIndex> hotSpots, int levels,
                                           const std::stop_token &stop = {});

/// Returns candidates around the steps where a state needs the most memory, or nearly so: runs of
/// consecutive steps of the order that share one dimension and begin and end where less is alive.
/// `count` of them are tried, at random; a candidate at one peak is tried at all peaks of the same
/// kind. This is an extension: Algorithm 1 only has subgraphs below one node.
std::vector<FissionIndex> fissionsAround(const SearchSpace &space, const State &state,
                                         const Trace &trace, std::size_t count, std::uint64_t seed);

/// Returns up to `count` candidates chosen at random: a dimension of any tensor, and a run of nodes
/// that have it. It stands for the paper's naive-fission (section 7.2.5).
std::vector<FissionIndex> fissionsAnywhere(const SearchSpace &space, std::size_t count,
                                           std::uint64_t seed);

} // namespace graphloom::magis
