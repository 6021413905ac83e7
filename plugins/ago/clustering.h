// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/ago/staged_graph.h"

namespace graphloom::ago {

/// Selects the member of a cluster's affix set that the cluster is merged with.
enum class Affinity {
    /// The lightest member, as in the paper. The paper leaves ties open: of several equally light
    /// members a direct neighbour is taken, since subgraphs that exchange tensors gain from being
    /// tuned together.
    Paper,
    /// The lightest direct neighbour that fits; if there is none, the lightest of all members.
    Neighbours,
};

/// Runs AGO Algorithm 1, CLUSTER, one iteration at a time. Each iteration merges the heaviest
/// candidate v with a cluster of its affix set (Definition 3: one topological stage before or after
/// v, and connected with it in the undirected graph, possibly only through others), as long as
/// together they weigh less than the threshold; otherwise v ceases to be a candidate. The quotient
/// graph is acyclic after every step (Theorem 1), so the algorithm may be stopped at any time.
class Clustering {
public:
    Clustering(const WeightedDag &dag, double threshold, Affinity affinity);

    const StagedGraph &graph() const { return m_graph; }
    /// Runs another iteration; returns false if no candidate was left.
    bool step();
    /// Returns the share of the clusters that are still candidates: 1 at first, 0 in the end.
    double openShare() const
    {
        return m_graph.nodeCount() ? double(m_candidates.size()) / m_graph.nodeCount() : 0;
    }

private:
    StagedGraph::Cluster partnerOf(StagedGraph::Cluster cluster) const;
    StagedGraph::Cluster lightest(StagedGraph::Cluster cluster) const;
    StagedGraph::Cluster lightestNeighbour(StagedGraph::Cluster cluster) const;

    StagedGraph m_graph;
    double m_threshold; // slightly below the given one, since sums depend on the order of the terms
    Affinity m_affinity;
    std::set<std::pair<double, StagedGraph::Cluster>> m_candidates; // ordered by negative weight
};

} // namespace graphloom::ago
