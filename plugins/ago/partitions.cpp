// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/partitions.h"

#include "engine/fusion/blocks/fixed_patterns.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

namespace graphloom::ago {

namespace {

/// The indices 0, 1… of subgraphs in a topological order, smallest first where there is a choice.
std::vector<std::uint32_t> sorted(const std::vector<std::vector<std::uint32_t>> &successors)
{
    std::vector<std::uint32_t> waiting(successors.size(), 0), order;
    for (const auto &list : successors)
        for (const std::uint32_t next : list)
            ++waiting[next];
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < waiting.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const std::uint32_t next : successors[order.back()])
            if (--waiting[next] == 0)
                ready.push(next);
    }
    assert(order.size() == successors.size());
    return order;
}

} // namespace

Partition partitionOf(const Graph &graph, const WeightedDag &dag,
                      std::span<const std::uint32_t> names, std::string method, double threshold)
{
    constexpr std::uint32_t unseen = ~std::uint32_t{0};
    std::vector<std::uint32_t> indexOf(names.size(), unseen), part(names.size());
    std::vector<Subgraph> parts; // in the order of their first nodes
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        std::uint32_t &index = indexOf[names[i]];
        if (index == unseen) {
            index = std::uint32_t(parts.size());
            parts.emplace_back();
        }
        part[i] = index;
        parts[index].nodes.push_back(graph.order()[i]);
        parts[index].weight += dag.weights[i];
    }
    std::vector<std::vector<std::uint32_t>> successors(parts.size());
    for (std::uint32_t i = 0; i < names.size(); ++i)
        for (const std::uint32_t next : dag.successors[i])
            if (part[next] != part[i])
                successors[part[i]].push_back(part[next]);
    Partition partition;
    partition.method = std::move(method);
    partition.threshold = threshold;
    for (const std::uint32_t index : sorted(successors))
        partition.subgraphs.push_back(std::move(parts[index]));
    partition.index(graph);
    partition.nodeWeights.assign(graph.nodeBound(), 0);
    for (std::uint32_t i = 0; i < names.size(); ++i)
        partition.nodeWeights[graph.order()[i].index] = dag.weights[i];
    return partition;
}

std::vector<std::uint32_t> relayBaseline(const Graph &graph, std::span<const NodeTraits> traits)
{
    std::vector<OperatorClass> classes;
    for (const NodeTraits &node : traits)
        classes.push_back(node.operatorClass);
    return fixedPatternGroups(graph, classes, Movements::Alone);
}

} // namespace graphloom::ago
