// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/typed_index.h"

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace graphloom::ago {

/// Describes a directed acyclic graph with weighted nodes, numbered from 0.
struct WeightedDag {
    std::vector<double> weights;
    std::vector<std::vector<std::uint32_t>> successors; // each once
};

/// Maintains the quotient graph of a clustering in progress: nodes of a WeightedDag are merged into
/// clusters, and every cluster knows its topological stage (AGO Definition 2: the length of the
/// longest path that leads to it).
///
/// A merge changes the stages of other clusters, often of all that come after it. Therefore stages
/// are not stored as numbers but as levels, the elements of a list; the stage of a cluster is the
/// rank of its level. Removing or inserting a level moves everything after it at once, and clusters
/// move one by one only where a merge makes parallel paths differ in length. Each weakly connected
/// component has a list of its own.
class StagedGraph {
public:
    using Cluster = std::uint32_t; // named after one of its nodes
    /// Counts the levels of all components, in the order in which they were made.
    using Level = TypedIndex<struct StageLevelTag>;
    static constexpr Cluster none = ~Cluster{0};

    /// Starts with one cluster per node. The graph must be acyclic.
    explicit StagedGraph(const WeightedDag &dag);

    std::uint32_t nodeCount() const { return std::uint32_t(m_parent.size()); }
    std::uint32_t clusterCount() const { return m_clusters; }
    /// Returns the cluster of every node.
    std::vector<Cluster> clusters() const;
    double weight(Cluster cluster) const { return m_weight[cluster]; }
    const std::vector<Cluster> &successors(Cluster cluster) const { return m_successors[cluster]; }
    const std::vector<Cluster> &predecessors(Cluster cluster) const
    {
        return m_predecessors[cluster];
    }

    Level level(Cluster cluster) const { return m_level[cluster]; }
    /// Returns the previous level of the component; an invalid one if there is none.
    Level before(Level level) const { return m_levels[level].previous; }
    /// Returns the next level of the component; an invalid one if there is none.
    Level behind(Level level) const { return m_levels[level].next; }
    /// Returns the clusters of a level, lightest first.
    const std::set<std::pair<double, Cluster>> &members(Level level) const
    {
        return m_levels[level].members;
    }
    /// Returns the topological stage, from 1; takes time in proportion to it.
    std::uint32_t stage(Cluster cluster) const;

    /// Merges two clusters of adjacent levels of one component, so that `behind(level(u)) ==
    /// level(v)`: then no path leads from u to v through a third cluster, since each of its steps
    /// ascends by at least one level, and the quotient graph stays acyclic. Returns the name of the
    /// new cluster, which is that of u or v.
    Cluster merge(Cluster u, Cluster v);

private:
    struct LevelEntry {
        std::set<std::pair<double, Cluster>> members;
        Level previous, next;
    };

    Level appendLevel(Level previous);
    void unlink(Level level);
    void place(Cluster cluster, Level level);
    void remove(Cluster cluster);
    void move(Cluster cluster, Level level);
    bool reachesBack(Cluster cluster, Level level, Cluster except) const;
    Cluster join(Cluster u, Cluster v);
    void lowerBehind(Level left, Level level, std::vector<Cluster> seeds);
    void raiseBehind(Cluster merged, std::vector<Cluster> seeds);

    std::vector<std::uint32_t> m_parent; // by node, towards the cluster's name
    std::vector<double> m_weight;
    std::vector<std::vector<Cluster>> m_successors, m_predecessors; // ascending
    std::vector<Level> m_level;
    IndexedVector<Level, LevelEntry> m_levels;
    std::vector<char> m_marked; // scratch, by cluster
    std::uint32_t m_clusters = 0;
};

} // namespace graphloom::ago
