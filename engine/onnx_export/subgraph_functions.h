// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/partition.h"

#include <string>
#include <vector>

namespace graphloom {

/// What stands as one node in an exported graph: a node, or the call of a function that holds a
/// subgraph of several nodes.
struct ExportUnit {
    std::uint32_t subgraph = Partition::none;
    std::vector<NodeId> nodes; // in the graph's order
    /// Of a call: tensors that its nodes read and others write; tensors that its nodes write and
    /// others read, or that nobody does.
    std::vector<TensorId> inputs, outputs;

    bool isCall() const { return nodes.size() > 1; }
};

/// The subgraphs of a partition in an order in which they can run one after the other; as close
/// to the graph's order as that permits. Without a partition, the nodes. Fails (Fault) unless
/// every node is in exactly one subgraph and the subgraphs do not depend on each other in a
/// cycle.
Result<std::vector<ExportUnit>> unitsOf(const Graph &graph, const Partition *partition);

/// A readable name for each subgraph: the prefix, its number and what it begins with, such as
/// "subgraph_012_Conv_BatchNormalization_Relu". Letters, digits and underscores only; unique.
std::vector<std::string> nameSubgraphs(const Graph &graph, const Partition &partition,
                                       const std::string &prefix = "subgraph");

} // namespace graphloom
