// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace graphloom {

/// A `Subgraph` is a part of a graph that is tuned and run as one.
struct Subgraph {
    std::vector<NodeId> nodes; // in the graph's order
    double weight = 0;         // AGO eq. (1), summed over the nodes; no unit
    bool locked = false;       // passes leave it unchanged
};

/// Holds disjoint subgraphs that together contain every node of a graph once, in a topological
/// order.
struct Partition {
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    std::string method;   // "ago", "relay-like"
    double threshold = 0; // Td; a subgraph of this weight or more is a single node
    std::vector<Subgraph> subgraphs;
    std::vector<std::uint32_t> subgraphOf; // by node id; `none` for removed nodes
    std::vector<double> nodeWeights;       // by node id; empty if not needed

    /// Fills subgraphOf from subgraphs.
    void index(const Graph &graph);
};

/// Holds the figures that AGO section VI reports of a partition (Fig. 14).
struct PartitionStatistics {
    std::size_t subgraphs = 0;
    std::size_t trivial = 0; // weight below 20
    double mean = 0, median = 0;
    double jain = 0; // Jain's fairness index of the weights: (sum w)^2 / (n * sum w^2), 0..1
    bool acyclic = false;
};

PartitionStatistics statisticsOf(const Graph &graph, const Partition &partition);

/// Tells whether the quotient graph has no cycle (AGO Definition 1). Considers only the graph's
/// edges, not how the partition was made.
bool isAcyclic(const Graph &graph, const Partition &partition);

/// Checks a partition. Fails (Fault), naming the node or subgraph, unless every node is in exactly
/// one subgraph, the quotient graph is acyclic, nodes and subgraphs are in a topological order, and
/// each subgraph of more than one node weighs less than the threshold, if there is one.
Result<void> checkPartition(const Graph &graph, const Partition &partition);

} // namespace graphloom
