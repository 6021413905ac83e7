// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"
#include "app/snapshot/graph_facts.h"
#include "app/snapshot/group_forest.h"
#include "engine/plan/origin_map.h"

#include <QString>

#include <memory>
#include <stop_token>
#include <vector>

namespace graphloom {

/// The bin of a subgraph's weight: bin i is for weights in [2^i, 2^(i+1)), as in AGO's Fig. 14.
/// Weights below 1 are in bin 0.
std::size_t weightBin(double weight);
/// How many subgraphs are in each bin.
std::vector<std::size_t> weightHistogram(const Partition &partition);

/// Which parts of the graph are looked at as one: fusion blocks, subgraphs of the partition, the
/// modules that the names of nodes tell of, regions of the F-Tree. The latter two are nested.
enum class Grouping { None, Blocks, Subgraphs, Modules, Fissions };

/// What views show of a partition.
struct PartitionFacts {
    PartitionStatistics statistics;
    std::vector<GroupFacts> rows;
    std::vector<std::size_t> histogram;
};

/// One of the graphs of one state of the plan, with everything that views show of it: immutable,
/// shared by all views.
struct Snapshot {
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const GraphFacts> facts;
    // Null when the plan has none, and for a nested graph: the model's own is partitioned.
    std::shared_ptr<const PartitionFacts> partition, baseline;
    std::shared_ptr<const std::vector<GroupFacts>> blocks; // of the fusion plan; null as above
    std::shared_ptr<const GroupForest> modules, fissions;  // null as above
    /// By region of `fissions`: of plan->memory->fissions.
    std::vector<std::uint32_t> fissionOf;
    std::size_t fissionsOmitted = 0; // that overlap with others
    /// Which nodes of the model each node does the work of; null for a nested graph.
    std::shared_ptr<const OriginMap> origins;

    // Of a nested graph; empty and null for the model's own.
    GraphPath path;
    GraphPointer nested;
    std::shared_ptr<const Snapshot> around; // of the graph that its node is in

    const Graph &graph() const { return nested ? *nested : plan->graph; }
    bool contains(const Item &item) const;
    /// What stands for an item where tensors inside of the graph have no place: of one the node
    /// that writes it, or the input that it is; none for a constant. Else the item itself.
    Item standInOf(const Item &item) const;
    /// Null when the plan has none, and for other groupings than blocks and subgraphs.
    const Partition *groups(Grouping grouping) const;
    /// Null when there are none, and for other groupings than modules and fissions.
    const GroupForest *forest(Grouping grouping) const;
    bool has(Grouping grouping) const { return groups(grouping) || forest(grouping); }
    /// How many groups.
    std::size_t count(Grouping grouping) const;
    /// The innermost group that a node is in; none without.
    Item groupOf(NodeId id, Grouping grouping) const;
    /// The group around a group; none without.
    Item parentOf(const Item &group) const;
    /// What a group is called: "Subgraph 3", "layer1.0 (1 of 2)".
    QString titleOf(const Item &group) const;
    /// Of a group that there is.
    const GroupFacts &factsOf(const Item &group) const;
    const std::vector<NodeId> &nodesOf(const Item &group) const;
    /// Requires a block that the plan has.
    const FusionBlock &block(const Item &item) const { return plan->fusion->blocks[item.index]; }
    /// The subgraph of a node; Partition::none without a partition.
    std::uint32_t subgraphOf(NodeId id) const
    {
        return partition ? plan->partition->subgraphOf[id.index] : Partition::none;
    }
};
Grouping groupingOf(const Item &group);
/// Requires another grouping than None.
Item groupItem(Grouping grouping, std::uint32_t index);
using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// The item of another state of the plan that stands for one of this: of a module the one of the
/// same name, of another group the one that holds its first node. None when there is no such thing
/// any more. Both are of the same graph.
Item sameItemIn(const Snapshot &next, const Snapshot &before, const Item &item);

/// The snapshot of the model's own graph. Takes what still holds from `before` (may be null).
/// Null when stopped.
SnapshotPointer snapshotOf(std::shared_ptr<const Plan> plan, const SnapshotPointer &before,
                           std::stop_token stop);

} // namespace graphloom
