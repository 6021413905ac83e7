// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/snapshot/snapshot.h"

#include "app/snapshot/module_tree.h"
#include "engine/ops/derive/infer.h"

#include <cmath>

namespace graphloom {

namespace {

std::vector<GroupFacts> rowsOf(const Graph &graph, const GraphFacts &graphFacts,
                               const Partition &partition)
{
    std::vector<GroupFacts> rows;
    for (const Subgraph &subgraph : partition.subgraphs) {
        GroupFacts row = groupFactsOf(graph, graphFacts, subgraph.nodes);
        row.weight = subgraph.weight;
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

void addFissions(Snapshot &snapshot, const Graph &graph, const MemoryPlan &memory)
{
    const FissionTree regions = fissionTreeOf(graph, memory);
    snapshot.fissions = forestOf(graph, *snapshot.facts, regions.tree);
    snapshot.fissionsOmitted = regions.omitted;
    if (snapshot.fissions)
        for (const GroupForest::Group &group : snapshot.fissions->groups)
            snapshot.fissionOf.push_back(regions.fissions[group.key]);
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
    return item.index < count(groupingOf(item));
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
    if (grouping == Grouping::Blocks)
        return blocks ? &plan->fusion->partition : nullptr;
    if (grouping == Grouping::Subgraphs)
        return partition ? plan->partition.get() : nullptr;
    return nullptr;
}

const GroupForest *Snapshot::forest(Grouping grouping) const
{
    return grouping == Grouping::Modules    ? modules.get()
           : grouping == Grouping::Fissions ? fissions.get()
                                            : nullptr;
}

std::size_t Snapshot::count(Grouping grouping) const
{
    if (const Partition *all = groups(grouping))
        return all->subgraphs.size();
    const GroupForest *all = forest(grouping);
    return all ? all->groups.size() : 0;
}

Item Snapshot::groupOf(NodeId id, Grouping grouping) const
{
    if (const Partition *all = groups(grouping))
        return groupItem(grouping, all->subgraphOf[id.index]);
    const GroupForest *all = forest(grouping);
    if (!all || all->groupOf[id.index] == GroupForest::none)
        return {};
    return groupItem(grouping, all->groupOf[id.index]);
}

Item Snapshot::parentOf(const Item &group) const
{
    const Grouping grouping = groupingOf(group);
    const GroupForest *all = forest(grouping);
    if (!all || all->groups[group.index].parent == GroupForest::none)
        return {};
    return groupItem(grouping, all->groups[group.index].parent);
}

QString Snapshot::titleOf(const Item &group) const
{
    if (const GroupForest *all = forest(groupingOf(group)))
        return all->titleOf(group.index);
    return group.kind == Item::Kind::Block ? titleOfBlock(block(group))
                                           : QStringLiteral("Subgraph %1").arg(group.index);
}

const GroupFacts &Snapshot::factsOf(const Item &group) const
{
    if (const GroupForest *all = forest(groupingOf(group)))
        return all->groups[group.index].facts;
    return (group.kind == Item::Kind::Block ? *blocks : partition->rows)[group.index];
}

const std::vector<NodeId> &Snapshot::nodesOf(const Item &group) const
{
    if (const GroupForest *all = forest(groupingOf(group)))
        return all->groups[group.index].nodes;
    return groups(groupingOf(group))->subgraphs[group.index].nodes;
}

Grouping groupingOf(const Item &group)
{
    switch (group.kind) {
    case Item::Kind::Block:
        return Grouping::Blocks;
    case Item::Kind::Subgraph:
        return Grouping::Subgraphs;
    case Item::Kind::Module:
        return Grouping::Modules;
    case Item::Kind::Fission:
        return Grouping::Fissions;
    default:
        return Grouping::None;
    }
}

Item groupItem(Grouping grouping, std::uint32_t index)
{
    switch (grouping) {
    case Grouping::Blocks:
        return Item::block(index);
    case Grouping::Subgraphs:
        return Item::subgraph(index);
    case Grouping::Modules:
        return Item::module(index);
    case Grouping::Fissions:
        return Item::fission(index);
    case Grouping::None:
        break;
    }
    return {};
}

Item sameItemIn(const Snapshot &next, const Snapshot &before, const Item &item)
{
    const Grouping grouping = groupingOf(item);
    if (grouping == Grouping::None || !before.contains(item))
        return next.contains(item) ? item : Item();
    if (const GroupForest *all = before.forest(grouping)) {
        const GroupForest *now = next.forest(grouping);
        if (all == now)
            return item;
        const std::uint32_t found =
            now ? now->find(all->groups[item.index].name) : GroupForest::none;
        return found == GroupForest::none ? Item() : groupItem(grouping, found);
    }
    if (before.groups(grouping) == next.groups(grouping))
        return item;
    for (const NodeId id : before.nodesOf(item))
        if (next.graph().contains(id))
            return next.groupOf(id, grouping);
    return {};
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
    snapshot->modules = sameGraph
                            ? before->modules
                            : forestOf(plan->graph, *snapshot->facts, moduleTreeOf(plan->graph));
    if (sameGraph && before->plan->memory == plan->memory) {
        snapshot->fissions = before->fissions;
        snapshot->fissionOf = before->fissionOf;
        snapshot->fissionsOmitted = before->fissionsOmitted;
    } else if (plan->memory) {
        addFissions(*snapshot, plan->graph, *plan->memory);
    }
    if (plan->memory)
        snapshot->peakBytes = peakBytesOf(*plan);
    snapshot->origins = std::make_shared<const OriginMap>(originMapOf(*plan));
    snapshot->plan = std::move(plan);
    return snapshot;
}

} // namespace graphloom
