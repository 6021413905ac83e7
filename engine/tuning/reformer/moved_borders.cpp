// SPDX-License-Identifier: Apache-2.0
#include "engine/tuning/reformer/moved_borders.h"

#include <algorithm>

namespace graphloom {

MovedBorders::MovedBorders(const Graph &graph, std::shared_ptr<const Partition> partition)
    : m_partition(std::move(partition))
{
    std::vector<Name> names;
    if (m_partition)
        m_subgraphs.emplace(graph, *m_partition, names);
}

bool MovedBorders::fits(const BlockGraph &subgraphs, Name target) const
{
    double weight = 0;
    for (const NodeId id : subgraphs.nodes(target))
        weight += m_partition->nodeWeights[id.index];
    return (m_partition->threshold <= 0 || weight < m_partition->threshold) &&
           !subgraphs.wouldCycle({&target, 1});
}

std::optional<BlockGraph> MovedBorders::holding(std::span<const NodeId> nodes) const
{
    std::vector<Name> names;
    for (const NodeId id : nodes)
        if (const Name name = m_subgraphs->blockOf(id); !std::ranges::count(names, name))
            names.push_back(name);
    if (names.size() == 1)
        return m_subgraphs;
    const auto isLocked = [&](Name name) {
        const NodeId any = m_subgraphs->nodes(name).front();
        return m_partition->subgraphs[m_partition->subgraphOf[any.index]].locked;
    };
    if (m_partition->nodeWeights.empty() || std::ranges::any_of(names, isLocked))
        return std::nullopt;
    for (const Name target : names) {
        BlockGraph moved = *m_subgraphs;
        for (const Name from : names) {
            if (from == target)
                continue;
            std::vector<NodeId> some;
            std::ranges::copy_if(nodes, std::back_inserter(some),
                                 [&](NodeId id) { return m_subgraphs->blockOf(id) == from; });
            if (some.size() == moved.nodes(from).size())
                moved.merge(target, from);
            else
                moved.move(some, target);
        }
        if (fits(moved, target))
            return moved;
    }
    return std::nullopt;
}

void MovedBorders::hold(std::span<const NodeId> nodes)
{
    if (!m_partition)
        return;
    const Name before = m_subgraphs->blockOf(nodes.front());
    m_hasMoved = m_hasMoved || std::ranges::any_of(nodes, [&](NodeId id) {
                     return m_subgraphs->blockOf(id) != before;
                 });
    m_subgraphs = holding(nodes);
}

std::shared_ptr<const Partition> MovedBorders::partition() const
{
    if (!m_hasMoved)
        return m_partition;
    auto moved = std::make_shared<Partition>(m_subgraphs->partition(m_partition->method));
    moved->threshold = m_partition->threshold;
    moved->nodeWeights = m_partition->nodeWeights;
    for (Subgraph &subgraph : moved->subgraphs) {
        for (const NodeId id : subgraph.nodes)
            subgraph.weight += moved->nodeWeights[id.index];
        const NodeId any = subgraph.nodes.front();
        subgraph.locked = m_partition->subgraphs[m_partition->subgraphOf[any.index]].locked;
    }
    return moved;
}

} // namespace graphloom
