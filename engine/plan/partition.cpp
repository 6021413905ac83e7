// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/partition.h"

#include <algorithm>

namespace graphloom {

void Partition::index(const Graph &graph)
{
    subgraphOf.assign(graph.nodeBound(), none);
    for (std::uint32_t s = 0; s < subgraphs.size(); ++s)
        for (const NodeId id : subgraphs[s].nodes)
            subgraphOf[id.index] = s;
}

PartitionStatistics statisticsOf(const Graph &graph, const Partition &partition)
{
    constexpr double trivialBelow = 20; // AGO section VI
    PartitionStatistics result;
    std::vector<double> weights;
    double sum = 0, squares = 0;
    for (const Subgraph &subgraph : partition.subgraphs) {
        weights.push_back(subgraph.weight);
        sum += subgraph.weight;
        squares += subgraph.weight * subgraph.weight;
        result.trivial += subgraph.weight < trivialBelow;
    }
    result.subgraphs = weights.size();
    result.acyclic = isAcyclic(graph, partition);
    if (weights.empty())
        return result;
    std::ranges::sort(weights);
    const std::size_t middle = weights.size() / 2;
    result.mean = sum / double(weights.size());
    result.median =
        weights.size() % 2 ? weights[middle] : (weights[middle - 1] + weights[middle]) / 2;
    result.jain = squares > 0 ? sum * sum / (double(weights.size()) * squares) : 1;
    return result;
}

bool isAcyclic(const Graph &graph, const Partition &partition)
{
    // Kahn's algorithm on the quotient graph, which keeps parallel edges.
    const std::size_t count = partition.subgraphs.size();
    std::vector<std::vector<std::uint32_t>> successors(count);
    std::vector<std::size_t> waiting(count, 0);
    const auto partOf = [&](NodeId id) {
        return id.index < partition.subgraphOf.size() ? partition.subgraphOf[id.index]
                                                      : Partition::none;
    };
    for (const NodeId id : graph.order()) {
        const std::uint32_t from = partOf(id);
        for (const NodeId next : graph.successors(id)) {
            const std::uint32_t to = partOf(next);
            if (from == Partition::none || to == Partition::none || from == to)
                continue;
            successors[from].push_back(to);
            ++waiting[to];
        }
    }
    std::vector<std::uint32_t> ready;
    for (std::uint32_t s = 0; s < count; ++s)
        if (waiting[s] == 0)
            ready.push_back(s);
    std::size_t done = 0;
    while (!ready.empty()) {
        const std::uint32_t s = ready.back();
        ready.pop_back();
        ++done;
        for (const std::uint32_t next : successors[s])
            if (--waiting[next] == 0)
                ready.push_back(next);
    }
    return done == count;
}

Result<void> checkPartition(const Graph &graph, const Partition &partition)
{
    const auto broken = [&](const std::string &reason) {
        std::string message = "the partition \"";
        message += partition.method + "\" is invalid: " + reason;
        return fail(Error::Kind::Fault, std::move(message));
    };
    std::vector<std::uint32_t> seen(graph.nodeBound(), Partition::none);
    for (std::uint32_t s = 0; s < partition.subgraphs.size(); ++s) {
        const Subgraph &subgraph = partition.subgraphs[s];
        const std::string name = "subgraph " + std::to_string(s);
        if (subgraph.nodes.empty())
            return broken(name + " is empty");
        if (!(subgraph.weight >= 0))
            return broken(name + " has the weight " + std::to_string(subgraph.weight));
        if (subgraph.nodes.size() > 1 && partition.threshold > 0 &&
            !(subgraph.weight < partition.threshold))
            return broken(name + " has the weight " + std::to_string(subgraph.weight) +
                          ", which is not below the threshold " +
                          std::to_string(partition.threshold));
        for (const NodeId id : subgraph.nodes) {
            if (!graph.contains(id))
                return broken(name + " contains a node that is not in the graph");
            if (seen[id.index] != Partition::none)
                return broken("node \"" + graph.node(id).name + "\" is in subgraphs " +
                              std::to_string(seen[id.index]) + " and " + std::to_string(s));
            seen[id.index] = s;
        }
    }
    for (const NodeId id : graph.order())
        if (seen[id.index] == Partition::none)
            return broken("node \"" + graph.node(id).name + "\" is not in any subgraph");
    if (partition.subgraphOf != seen)
        return broken("its index does not match its subgraphs");
    if (!partition.nodeWeights.empty() && partition.nodeWeights.size() != graph.nodeBound())
        return broken("its weights belong to another graph");
    if (!isAcyclic(graph, partition))
        return broken("its subgraphs depend on each other in a cycle");
    for (const Subgraph &subgraph : partition.subgraphs)
        if (!std::ranges::is_sorted(subgraph.nodes, {},
                                    [&](NodeId id) { return graph.position(id); }))
            return broken("the nodes of subgraph " + std::to_string(seen[subgraph.nodes[0].index]) +
                          " are not in the graph's order");
    for (const NodeId id : graph.order())
        for (const NodeId next : graph.successors(id))
            if (seen[next.index] < seen[id.index])
                return broken("subgraph " + std::to_string(seen[next.index]) +
                              " precedes subgraph " + std::to_string(seen[id.index]) +
                              ", from which it reads");
    return {};
}

} // namespace graphloom
