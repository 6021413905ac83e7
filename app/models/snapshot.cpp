// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/snapshot.h"

#include "engine/ops/infer.h"

#include <cmath>

namespace graphloom {

namespace {

std::shared_ptr<const PartitionFacts> factsOf(const Graph &graph, const GraphFacts &graphFacts,
                                              const std::shared_ptr<const Partition> &partition)
{
    if (!partition)
        return nullptr;
    auto facts = std::make_shared<PartitionFacts>();
    facts->statistics = statisticsOf(graph, *partition);
    facts->histogram = weightHistogram(*partition);
    for (const Subgraph &subgraph : partition->subgraphs) {
        PartitionFacts::Row row;
        row.nodes = subgraph.nodes.size();
        row.weight = subgraph.weight;
        for (const NodeId id : subgraph.nodes)
            row.macs += graphFacts.of(id).macs;
        row.operators = operatorSummary(graph, subgraph.nodes);
        facts->rows.push_back(std::move(row));
    }
    return facts;
}

} // namespace

std::size_t weightBin(double weight)
{
    return weight < 1 ? 0 : std::size_t(std::log2(weight));
}

std::vector<std::size_t> weightHistogram(const Partition &partition)
{
    std::vector<std::size_t> bins;
    for (const Subgraph &subgraph : partition.subgraphs) {
        const std::size_t bin = weightBin(subgraph.weight);
        if (bin >= bins.size())
            bins.resize(bin + 1, 0);
        ++bins[bin];
    }
    return bins;
}

bool Snapshot::contains(const Item &item) const
{
    if (item.isTensor())
        return graph().contains(item.tensor());
    if (item.kind == Item::Kind::Node)
        return graph().contains(item.node());
    return item.kind == Item::Kind::Subgraph && partition && item.index < partition->rows.size();
}

SnapshotPointer snapshotOf(std::shared_ptr<const Plan> plan, const SnapshotPointer &before,
                           std::stop_token stop)
{
    auto snapshot = std::make_shared<Snapshot>();
    const bool sameGraph = before && before->facts->graphHash == plan->graph.hash() &&
                           before->plan->graph.nodeBound() == plan->graph.nodeBound();
    snapshot->facts =
        sameGraph ? before->facts : graphFactsOf(plan->graph, opsetsOf(*plan->model), stop);
    if (!snapshot->facts || stop.stop_requested())
        return nullptr;
    snapshot->partition = factsOf(plan->graph, *snapshot->facts, plan->partition);
    snapshot->baseline = factsOf(plan->graph, *snapshot->facts, plan->baselinePartition);
    snapshot->plan = std::move(plan);
    return snapshot;
}

} // namespace graphloom
