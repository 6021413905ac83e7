// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/clustering.h"

#include <algorithm>

namespace graphloom::ago {

using Cluster = StagedGraph::Cluster;
using Level = StagedGraph::Level;
constexpr auto none = StagedGraph::none;

Clustering::Clustering(const WeightedDag &dag, double threshold, Affinity affinity)
    : m_graph(dag), m_threshold(threshold * (1 - 1e-9)), m_affinity(affinity)
{
    for (Cluster cluster = 0; cluster < m_graph.nodeCount(); ++cluster)
        m_candidates.emplace(-m_graph.weight(cluster), cluster);
}

bool Clustering::step()
{
    if (m_candidates.empty())
        return false;
    const Cluster v = m_candidates.begin()->second;
    m_candidates.erase(m_candidates.begin());
    const Cluster u = partnerOf(v);
    if (u == none)
        return true;
    m_candidates.erase({-m_graph.weight(u), u});
    const bool forward = m_graph.behind(m_graph.level(v)) == m_graph.level(u);
    const Cluster merged = forward ? m_graph.merge(v, u) : m_graph.merge(u, v);
    m_candidates.emplace(-m_graph.weight(merged), merged);
    return true;
}

/// Returns the member of the affix set to merge with; none if all are too heavy.
Cluster Clustering::partnerOf(Cluster cluster) const
{
    const auto fits = [&](Cluster other) {
        return other != none && m_graph.weight(cluster) + m_graph.weight(other) < m_threshold;
    };
    const Cluster any = lightest(cluster);
    if (!fits(any))
        return none; // heavier ones do not fit either
    const Cluster neighbour = lightestNeighbour(cluster);
    if (neighbour != none &&
        (m_affinity == Affinity::Neighbours ? fits(neighbour)
                                            : m_graph.weight(neighbour) == m_graph.weight(any)))
        return neighbour;
    return any;
}

Cluster Clustering::lightest(Cluster cluster) const
{
    const Level here = m_graph.level(cluster);
    std::pair<double, Cluster> best{0, none};
    for (const Level level : {m_graph.before(here), m_graph.behind(here)})
        if (level.isValid())
            if (const auto &first = *m_graph.members(level).begin();
                best.second == none || first < best)
                best = first;
    return best.second;
}

Cluster Clustering::lightestNeighbour(Cluster cluster) const
{
    const Level here = m_graph.level(cluster);
    std::pair<double, Cluster> best{0, none};
    const auto look = [&](const std::vector<Cluster> &neighbours, Level level) {
        for (const Cluster other : neighbours)
            if (m_graph.level(other) == level)
                if (const std::pair found{m_graph.weight(other), other};
                    best.second == none || found < best)
                    best = found;
    };
    look(m_graph.predecessors(cluster), m_graph.before(here));
    look(m_graph.successors(cluster), m_graph.behind(here));
    return best.second;
}

} // namespace graphloom::ago
