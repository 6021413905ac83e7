// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/staged_graph.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace graphloom::ago {

namespace {

using Clusters = std::vector<StagedGraph::Cluster>;

void insertSorted(Clusters &list, StagedGraph::Cluster cluster)
{
    const auto at = std::ranges::lower_bound(list, cluster);
    if (at == list.end() || *at != cluster)
        list.insert(at, cluster);
}

void eraseSorted(Clusters &list, StagedGraph::Cluster cluster)
{
    const auto at = std::ranges::lower_bound(list, cluster);
    if (at != list.end() && *at == cluster)
        list.erase(at);
}

/// Returns the longest-path stage of every node, from 1 (Definition 2).
std::vector<std::uint32_t> stagesOf(const std::vector<Clusters> &successors,
                                    const std::vector<Clusters> &predecessors)
{
    std::vector<std::uint32_t> stages(successors.size(), 1), waiting(successors.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < successors.size(); ++i) {
        waiting[i] = std::uint32_t(predecessors[i].size());
        if (waiting[i] == 0)
            ready.push_back(i);
    }
    for (std::size_t done = 0; done < ready.size(); ++done)
        for (const std::uint32_t next : successors[ready[done]]) {
            stages[next] = std::max(stages[next], stages[ready[done]] + 1);
            if (--waiting[next] == 0)
                ready.push_back(next);
        }
    assert(ready.size() == successors.size()); // otherwise there is a cycle
    return stages;
}

} // namespace

StagedGraph::StagedGraph(const WeightedDag &dag)
    : m_parent(dag.weights.size()), m_weight(dag.weights), m_successors(dag.successors),
      m_predecessors(dag.weights.size()), m_level(dag.weights.size()),
      m_marked(dag.weights.size(), 0), m_clusters(std::uint32_t(dag.weights.size()))
{
    for (std::uint32_t i = 0; i < m_parent.size(); ++i) {
        m_parent[i] = i;
        std::ranges::sort(m_successors[i]);
        for (const Cluster next : m_successors[i])
            m_predecessors[next].push_back(i);
    }
    const auto stages = stagesOf(m_successors, m_predecessors);
    std::vector<char> seen(m_parent.size(), 0);
    for (std::uint32_t root = 0; root < m_parent.size(); ++root) {
        Clusters component; // the root's weakly connected component, unless seen
        if (!std::exchange(seen[root], 1))
            component.push_back(root);
        for (std::size_t i = 0; i < component.size(); ++i)
            for (const auto *neighbours :
                 {&m_successors[component[i]], &m_predecessors[component[i]]})
                for (const Cluster next : *neighbours)
                    if (!std::exchange(seen[next], 1))
                        component.push_back(next);
        std::vector<Level> levels;
        for (const Cluster cluster : component)
            while (levels.size() < stages[cluster])
                levels.push_back(appendLevel(levels.empty() ? Level() : levels.back()));
        for (const Cluster cluster : component)
            place(cluster, levels[stages[cluster] - 1]);
    }
}

std::vector<StagedGraph::Cluster> StagedGraph::clusters() const
{
    std::vector<Cluster> names = m_parent;
    for (std::uint32_t node = 0; node < names.size(); ++node) {
        Cluster name = node;
        while (names[name] != name)
            name = names[name];
        for (std::uint32_t at = node; at != name;) // compresses the path
            at = std::exchange(names[at], name);
    }
    return names;
}

std::uint32_t StagedGraph::stage(Cluster cluster) const
{
    std::uint32_t rank = 0;
    for (Level level = m_level[cluster]; level.isValid(); level = m_levels[level].previous)
        ++rank;
    return rank;
}

/// Adds a level right after another one, or the first level of a new list.
StagedGraph::Level StagedGraph::appendLevel(Level previous)
{
    LevelEntry entry;
    entry.previous = previous;
    entry.next = previous.isValid() ? m_levels[previous].next : Level();
    const Level level = m_levels.append(std::move(entry));
    if (previous.isValid())
        m_levels[previous].next = level;
    if (m_levels[level].next.isValid())
        m_levels[m_levels[level].next].previous = level;
    return level;
}

void StagedGraph::unlink(Level level)
{
    const auto &[members, previous, next] = m_levels[level];
    assert(members.empty());
    if (previous.isValid())
        m_levels[previous].next = next;
    if (next.isValid())
        m_levels[next].previous = previous;
}

void StagedGraph::place(Cluster cluster, Level level)
{
    m_level[cluster] = level;
    m_levels[level].members.emplace(m_weight[cluster], cluster);
}

void StagedGraph::remove(Cluster cluster)
{
    m_levels[m_level[cluster]].members.erase({m_weight[cluster], cluster});
}

void StagedGraph::move(Cluster cluster, Level level)
{
    remove(cluster);
    place(cluster, level);
}

/// Tells whether a predecessor other than `except` is in the level.
bool StagedGraph::reachesBack(Cluster cluster, Level level, Cluster except) const
{
    return std::ranges::any_of(m_predecessors[cluster], [&](Cluster previous) {
        return m_level[previous] == level && previous != except;
    });
}

StagedGraph::Cluster StagedGraph::merge(Cluster u, Cluster v)
{
    const Level from = m_level[u], to = m_level[v];
    assert(m_levels[from].next == to);
    // Every cluster has a predecessor in the previous level. The merged one gets the lower level
    // unless another such predecessor of v prevents that.
    const bool heldUp = reachesBack(v, from, u);
    // Successors whose level may depend on the level that u or v leaves.
    Clusters hanging;
    for (const Cluster next : m_successors[heldUp ? u : v])
        if (next != v && m_level[next] == (heldUp ? to : m_levels[to].next))
            hanging.push_back(next);
    const Cluster merged = join(u, v);
    place(merged, heldUp ? to : from);
    const Cluster gone = merged == u ? v : u;
    std::ranges::replace(hanging, gone, merged);
    if (heldUp)
        raiseBehind(merged, std::move(hanging));
    else if (m_levels[to].members.empty())
        unlink(to); // which lowers all later levels
    else
        lowerBehind(to, m_levels[to].next, std::move(hanging));
    return merged;
}

/// Merges two clusters into one outside of any level. The one with fewer edges is absorbed.
StagedGraph::Cluster StagedGraph::join(Cluster u, Cluster v)
{
    remove(u);
    remove(v);
    const auto degree = [&](Cluster c) {
        return m_successors[c].size() + m_predecessors[c].size();
    };
    const Cluster kept = degree(u) >= degree(v) ? u : v, gone = kept == u ? v : u;
    const auto take = [&](std::vector<Clusters> &forward, std::vector<Clusters> &backward) {
        for (const Cluster next : forward[gone]) {
            eraseSorted(backward[next], gone);
            if (next == kept)
                continue;
            insertSorted(backward[next], kept);
            insertSorted(forward[kept], next);
        }
        forward[gone] = {};
    };
    take(m_successors, m_predecessors);
    take(m_predecessors, m_successors);
    m_weight[kept] += m_weight[gone];
    m_parent[gone] = kept;
    m_level[gone] = Level();
    --m_clusters;
    return kept;
}

/// Restores the stages after a cluster has left the level `left`, in which others remain, for the
/// previous one: clusters without a predecessor in `left` descend by one level too, and so do their
/// successors. `seeds` are the candidates in the next level, `level`.
void StagedGraph::lowerBehind(Level left, Level level, Clusters seeds)
{
    std::vector<Clusters> layers; // descending clusters, from `level` on
    const Level first = level;
    Level stayed = left; // the level before `level`, where unmarked members stay
    Clusters marked;
    while (level.isValid()) {
        Clusters layer;
        for (const Cluster cluster : seeds)
            if (!m_marked[cluster] &&
                std::ranges::none_of(m_predecessors[cluster], [&](Cluster previous) {
                    return m_level[previous] == stayed && !m_marked[previous];
                })) {
                layer.push_back(cluster);
                m_marked[cluster] = 1;
                marked.push_back(cluster);
            }
        if (layer.empty())
            break;
        layers.push_back(std::move(layer));
        if (layers.back().size() == m_levels[level].members.size())
            break; // the level empties: all later levels descend with it
        seeds.clear();
        stayed = level;
        level = m_levels[level].next;
        for (const Cluster cluster : layers.back())
            for (const Cluster next : m_successors[cluster])
                if (m_level[next] == level)
                    seeds.push_back(next);
    }
    level = first;
    for (const Clusters &layer : layers) {
        for (const Cluster cluster : layer)
            move(cluster, m_levels[level].previous);
        if (m_levels[level].members.empty())
            unlink(level);
        level = m_levels[level].next;
    }
    for (const Cluster cluster : marked)
        m_marked[cluster] = 0;
}

/// Restores the stages after a cluster was put into the level of some of its successors, `seeds`:
/// they ascend by one level, as do their successors in the next level, and so on. If a whole level
/// would ascend, all later ones would: then a new level is inserted instead, and clusters before
/// that point that do not ascend move back by one.
void StagedGraph::raiseBehind(Cluster merged, Clusters seeds)
{
    if (seeds.empty())
        return;
    const Level start = m_level[merged];
    std::vector<Clusters> layers; // ascending clusters, from `start` on
    for (const Cluster cluster : seeds)
        m_marked[cluster] = 1;
    layers.push_back(std::move(seeds));
    Level level = m_levels[start].next;
    bool insert = false;
    while (level.isValid()) {
        Clusters layer;
        for (const Cluster cluster : layers.back())
            for (const Cluster next : m_successors[cluster])
                if (m_level[next] == level && !m_marked[next]) {
                    m_marked[next] = 1;
                    layer.push_back(next);
                }
        if (layer.empty())
            break;
        layers.push_back(std::move(layer));
        insert = layers.back().size() == m_levels[level].members.size();
        if (insert)
            break;
        level = m_levels[level].next;
    }
    if (insert) {
        const Level end = level, added = appendLevel(start);
        for (const Cluster cluster : layers.front())
            move(cluster, added);
        for (level = m_levels[added].next; level != end; level = m_levels[level].next) {
            Clusters staying;
            for (const auto &[weight, cluster] : m_levels[level].members)
                if (!m_marked[cluster])
                    staying.push_back(cluster);
            for (const Cluster cluster : staying)
                move(cluster, m_levels[level].previous);
        }
    } else {
        std::vector<Level> targets;
        for (level = start; targets.size() < layers.size(); level = targets.back())
            targets.push_back(m_levels[level].next.isValid() ? m_levels[level].next
                                                             : appendLevel(level));
        for (std::size_t i = layers.size(); i-- > 0;)
            for (const Cluster cluster : layers[i])
                move(cluster, targets[i]);
    }
    for (const Clusters &layer : layers)
        for (const Cluster cluster : layer)
            m_marked[cluster] = 0;
}

} // namespace graphloom::ago
