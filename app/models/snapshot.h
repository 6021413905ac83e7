// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/models/graph_facts.h"
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

/// What views show of a partition.
struct PartitionFacts {
    struct Row {
        std::size_t nodes = 0;
        double weight = 0;
        Dim macs;
        QString operators; // operatorSummary()
    };
    PartitionStatistics statistics;
    std::vector<Row> rows;
    std::vector<std::size_t> histogram;
};

/// One of the graphs of one state of the plan, with everything that views show of it: immutable,
/// shared by all views.
struct Snapshot {
    std::shared_ptr<const Plan> plan;
    std::shared_ptr<const GraphFacts> facts;
    // Null when the plan has none, and for a nested graph: the model's own is partitioned.
    std::shared_ptr<const PartitionFacts> partition, baseline;

    // Of a nested graph; empty and null for the model's own.
    GraphPath path;
    GraphPointer nested;
    std::shared_ptr<const Snapshot> around; // of the graph that its node is in

    const Graph &graph() const { return nested ? *nested : plan->graph; }
    bool contains(const Item &item) const;
    /// The subgraph of a node; Partition::none without a partition.
    std::uint32_t subgraphOf(NodeId id) const
    {
        return partition ? plan->partition->subgraphOf[id.index] : Partition::none;
    }
};
using SnapshotPointer = std::shared_ptr<const Snapshot>;

/// The snapshot of the model's own graph. Takes what still holds from `before` (may be null).
/// Null when stopped.
SnapshotPointer snapshotOf(std::shared_ptr<const Plan> plan, const SnapshotPointer &before,
                           std::stop_token stop);

} // namespace graphloom
