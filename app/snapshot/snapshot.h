// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/common/item.h"
#include "app/snapshot/graph_facts.h"
#include "app/snapshot/group_forest.h"
#include "engine/plan/origin_map.h"

#include <QString>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace graphloom {

/// Returns the bin of a subgraph's weight. Bin i holds weights in [2^i, 2^(i+1)), as in AGO's Fig.
/// 14; weights below 1 are in bin 0.
std::size_t weightBin(double weight);
/// Returns the number of subgraphs in each bin.
std::vector<std::size_t> weightHistogram(const Partition &partition);

/// Tells which groups of nodes are taken as one: fusion blocks, subgraphs of the partition, modules
/// (which are derived from the names of nodes) or regions of the F-Tree. Modules and regions are
/// nested.
enum class Grouping { None, Blocks, Subgraphs, Modules, Fissions };

/// Holds what views show of a partition.
struct PartitionFacts {
    PartitionStatistics statistics;
    std::vector<GroupFacts> rows;
    std::vector<std::size_t> histogram;
};

/// A `Snapshot` holds one graph of one state of the plan, with everything that views show of it. It
/// is immutable and shared by all views.
struct Snapshot {
    std::shared_ptr<const Plan> plan;
    std::optional<std::int64_t> peakBytes; // of the plan, by peakBytesOf(); empty without `memory`
    std::shared_ptr<const GraphFacts> facts;
    // Null when the plan has none, and for a nested graph: only the model's own graph is
    // partitioned.
    std::shared_ptr<const PartitionFacts> partition, baseline;
    std::shared_ptr<const std::vector<GroupFacts>> blocks; // of the fusion plan; null as above
    std::shared_ptr<const GroupForest> modules, fissions;  // null as above
    /// Indices into plan->memory->fissions, by group of `fissions`.
    std::vector<std::uint32_t> fissionOf;
    std::size_t fissionsOmitted = 0; // regions left out because they overlap others
    /// Maps each node to the nodes of the model whose work it does. Null for a nested graph.
    std::shared_ptr<const OriginMap> origins;

    // Set for a nested graph only; empty and null for the model's own graph.
    GraphPath path;
    GraphPointer nested;
    std::shared_ptr<const Snapshot> around; // snapshot of the graph that holds the node

    const Graph &graph() const { return nested ? *nested : plan->graph; }
    bool contains(const Item &item) const;
    /// Returns the item that is drawn for a tensor inside the graph: the node that writes it, or
    /// the graph input or captured tensor that it is. Returns an empty item for a constant, and any
    /// other item itself.
    Item standInOf(const Item &item) const;
    /// Returns the groups of a grouping, or null when the plan has none or the grouping is neither
    /// Blocks nor Subgraphs.
    const Partition *groups(Grouping grouping) const;
    /// Returns the nested groups of a grouping, or null when there are none or the grouping is
    /// neither Modules nor Fissions.
    const GroupForest *forest(Grouping grouping) const;
    bool has(Grouping grouping) const { return groups(grouping) || forest(grouping); }
    /// Returns the number of groups of a grouping.
    std::size_t count(Grouping grouping) const;
    /// Returns the innermost group that a node is in, or an empty item when it is in none.
    Item groupOf(NodeId id, Grouping grouping) const;
    /// Returns the group around a group, or an empty item when there is none.
    Item parentOf(const Item &group) const;
    /// Returns the title of a group: "Subgraph 3", "layer1.0 (1 of 2)".
    QString titleOf(const Item &group) const;
    /// Returns the facts or the nodes of a group, which must exist.
    const GroupFacts &factsOf(const Item &group) const;
    const std::vector<NodeId> &nodesOf(const Item &group) const;
    /// Returns the fusion block of an item. Requires a block that the plan has.
    const FusionBlock &block(const Item &item) const { return plan->fusion->blocks[item.index]; }
    /// Returns the subgraph of a node, or Partition::none without a partition.
    std::uint32_t subgraphOf(NodeId id) const
    {
        return partition ? plan->partition->subgraphOf[id.index] : Partition::none;
    }
};
Grouping groupingOf(const Item &group);
/// Returns the item of a group. Requires a grouping other than None.
Item groupItem(Grouping grouping, std::uint32_t index);
using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// Returns the item of another state of the plan that corresponds to an item of this one: for a
/// module or region the one of the same name, for a block or subgraph the one that holds its first
/// node that still exists, for any other item the item itself. Returns an empty item when there is
/// none. Both snapshots must be of the same graph.
Item sameItemIn(const Snapshot &next, const Snapshot &before, const Item &item);

/// Makes the snapshot of the model's own graph. Reuses what is still valid in `before`, which may
/// be null. Returns null when stopped.
SnapshotPointer snapshotOf(std::shared_ptr<const Plan> plan, const SnapshotPointer &before,
                           std::stop_token stop);

} // namespace graphloom
