// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/snapshot.h"

#include "engine/ops/infer.h"

#include <cmath>

namespace graphloom {

namespace {

std::vector<GroupFacts> rowsOf(const Graph &graph, const GraphFacts &graphFacts,
                               const Partition &partition)
{
    std::vector<GroupFacts> rows;
    for (const Subgraph &subgraph : partition.subgraphs) {
        GroupFacts row;
        row.nodes = subgraph.nodes.size();
        row.weight = subgraph.weight;
        for (const NodeId id : subgraph.nodes)
            row.macs += graphFacts.of(id).macs;
        row.operators = operatorSummary(graph, subgraph.nodes);
        rows.push_back(std::move(row));
    }
    return rows;
}

std::shared_ptr<const PartitionFacts> factsOf(const Graph &graph, const GraphFacts &graphFacts,
                                              const std::shared_ptr<const Partition> &partition)
{
    if (!partition)
        return nullptr;
    auto facts = std::make_shared<PartitionFacts>();
    facts->statistics = statisticsOf(graph, *partition);
    facts->histogram = weightHistogram(*partition);
    facts->rows = rowsOf(graph, graphFacts, *partition);
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
    const Partition *all = groups(groupingOf(item));
    return all && item.index < all->subgraphs.size();
}

Item Snapshot::standInOf(const Item &item) const
{
    if (item.kind != Item::Kind::Tensor || !contains(item))
        return item;
    const TensorId id = item.tensor();
    if (const NodeId producer = graph().producer(id); producer.valid())
        return Item::of(producer);
    return graph().isInput(id)      ? Item::input(id)
           : graph().isExternal(id) ? Item::captured(id)
                                    : Item();
}

const Partition *Snapshot::groups(Grouping grouping) const
{
    switch (grouping) {
    case Grouping::Blocks:
        return blocks ? &plan->fusion->partition : nullptr;
    case Grouping::Subgraphs:
        return partition ? plan->partition.get() : nullptr;
    case Grouping::None:
        break;
    }
    return nullptr;
}

Item Snapshot::groupOf(NodeId id, Grouping grouping) const
{
    const Partition *all = groups(grouping);
    if (!all)
        return {};
    const std::uint32_t group = all->subgraphOf[id.index];
    return grouping == Grouping::Blocks ? Item::block(group) : Item::subgraph(group);
}

const GroupFacts &Snapshot::factsOf(const Item &group) const
{
    return (group.kind == Item::Kind::Block ? *blocks : partition->rows)[group.index];
}

const std::vector<NodeId> &Snapshot::nodesOf(const Item &group) const
{
    return groups(groupingOf(group))->subgraphs[group.index].nodes;
}

Grouping groupingOf(const Item &group)
{
    return group.kind == Item::Kind::Block      ? Grouping::Blocks
           : group.kind == Item::Kind::Subgraph ? Grouping::Subgraphs
                                                : Grouping::None;
}

Item sameItemIn(const Snapshot &next, const Snapshot &before, const Item &item)
{
    const Grouping grouping = groupingOf(item);
    if (grouping != Grouping::None && before.contains(item) &&
        before.groups(grouping) != next.groups(grouping)) {
        for (const NodeId id : before.nodesOf(item))
            if (next.graph().contains(id))
                return next.groupOf(id, grouping);
        return {};
    }
    return next.contains(item) ? item : Item();
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
    if (plan->fusion)
        snapshot->blocks = std::make_shared<const std::vector<GroupFacts>>(
            rowsOf(plan->graph, *snapshot->facts, plan->fusion->partition));
    snapshot->plan = std::move(plan);
    return snapshot;
}

} // namespace graphloom
