// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/graph_facts.h"
#include "app/models/item.h"
#include "engine/plan/plan.h"

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

/// Which parts of the graph are looked at as one: fusion blocks, subgraphs of the partition.
enum class Grouping { None, Blocks, Subgraphs };

/// What views show of a subgraph or a fusion block.
struct GroupFacts {
    std::size_t nodes = 0;
    double weight = 0; // of a block: its FLOPs
    Dim macs;
    QString operators; // operatorSummary()
};

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

    // Of a nested graph; empty and null for the model's own.
    GraphPath path;
    GraphPointer nested;
    std::shared_ptr<const Snapshot> around; // of the graph that its node is in

    const Graph &graph() const { return nested ? *nested : plan->graph; }
    bool contains(const Item &item) const;
    /// What stands for an item where tensors inside of the graph have no place: of one the node
    /// that writes it, or the input that it is; none for a constant. Else the item itself.
    Item standInOf(const Item &item) const;
    /// Null when the plan has none, and for Grouping::None.
    const Partition *groups(Grouping grouping) const;
    /// The subgraph or fusion block that a node is in; none without.
    Item groupOf(NodeId id, Grouping grouping) const;
    /// Of a subgraph or fusion block that the plan has.
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
using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// The item of another state of the plan that stands for one of this: of a subgraph or block the
/// one that holds its first node. None when there is no such thing any more. Both are of the same
/// graph.
Item sameItemIn(const Snapshot &next, const Snapshot &before, const Item &item);

/// The snapshot of the model's own graph. Takes what still holds from `before` (may be null).
/// Null when stopped.
SnapshotPointer snapshotOf(std::shared_ptr<const Plan> plan, const SnapshotPointer &before,
                           std::stop_token stop);

} // namespace graphloom
