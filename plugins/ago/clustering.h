// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/ago/staged_graph.h"

namespace graphloom::ago {

/// Which member of a cluster's affix set it is merged with.
enum class Affinity {
    /// The lightest, as in the paper. Of several equally light ones a direct neighbour, which
    /// the paper leaves open: what exchanges tensors gains from being tuned together.
    Paper,
    /// The lightest direct neighbour that fits; only when there is none the lightest of all.
    Neighbours,
};

/// AGO Algorithm 1, CLUSTER, one iteration at a time: the heaviest candidate v merges with a
/// cluster of its affix set (one topological stage before or behind it and connected with it
/// in the undirected graph, be it only through others; Definition 3), as long as together they
/// weigh less than the threshold; otherwise v is no candidate any more. The quotient graph is
/// acyclic after every step (Theorem 1), so that one may stop at any time.
class Clustering {
public:
    Clustering(const WeightedDag &dag, double threshold, Affinity affinity);

    const StagedGraph &graph() const { return m_graph; }
    /// Another iteration; false when no candidate was left.
    bool step();
    /// Share of the clusters that are still candidates, 1 at first, 0 in the end.
    double openShare() const
    {
        return m_graph.nodeCount() ? double(m_candidates.size()) / m_graph.nodeCount() : 0;
    }

private:
    StagedGraph::Cluster partnerOf(StagedGraph::Cluster cluster) const;
    StagedGraph::Cluster lightest(StagedGraph::Cluster cluster) const;
    StagedGraph::Cluster lightestNeighbour(StagedGraph::Cluster cluster) const;

    StagedGraph m_graph;
    double m_threshold; // a trace below the given one: sums differ with the order of the terms
    Affinity m_affinity;
    std::set<std::pair<double, StagedGraph::Cluster>> m_candidates; // by negative weight
};

} // namespace graphloom::ago
