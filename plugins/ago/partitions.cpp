// SPDX-License-Identifier: Apache-2.0
#include "plugins/ago/partitions.h"

#include "engine/base/typed_index.h"
#include "engine/fusion/blocks/fixed_patterns.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>

namespace graphloom::ago {

namespace {

/// Counts the subgraphs in the order of their first nodes.
using Part = TypedIndex<struct PartTag>;

/// Returns the subgraphs in topological order, smallest index first among those ready.
std::vector<Part> sorted(const IndexedVector<Part, std::vector<Part>> &successors)
{
    IndexedVector<Part, std::uint32_t> waiting(successors.size(), 0);
    std::vector<Part> order;
    for (const auto &list : successors)
        for (const Part next : list)
            ++waiting[next];
    std::priority_queue<Part, std::vector<Part>, std::greater<>> ready;
    for (const Part i : waiting.indices())
        if (waiting[i] == 0)
            ready.push(i);
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const Part next : successors[order.back()])
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
    std::vector<Part> partNamed(names.size()), part(names.size());
    IndexedVector<Part, Subgraph> parts;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        Part &index = partNamed[names[i]];
        if (!index.isValid())
            index = parts.append({});
        part[i] = index;
        parts[index].nodes.push_back(graph.order()[i]);
        parts[index].weight += dag.weights[i];
    }
    IndexedVector<Part, std::vector<Part>> successors(parts.size());
    for (std::uint32_t i = 0; i < names.size(); ++i)
        for (const std::uint32_t next : dag.successors[i])
            if (part[next] != part[i])
                successors[part[i]].push_back(part[next]);
    Partition partition;
    partition.method = std::move(method);
    partition.threshold = threshold;
    for (const Part index : sorted(successors))
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
