// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/plan/partition.h"

#include <string>
#include <vector>

namespace graphloom {

/// Represents one node of an exported graph: a node, or the call of a function that holds a
/// subgraph of several nodes.
struct ExportUnit {
    std::uint32_t subgraph = Partition::none;
    std::vector<NodeId> nodes; // in the graph's order
    /// Inputs and outputs of a call: tensors that its nodes read and others write; tensors that its
    /// nodes write and others, or nobody, read.
    std::vector<TensorId> inputs, outputs;

    bool isCall() const { return nodes.size() > 1; }
};

/// Returns the subgraphs of a partition in an order in which they can run one after the other, as
/// close to the graph's order as possible. Without a partition, returns the nodes. Fails (Fault)
/// unless every node is in exactly one subgraph and the subgraphs do not depend on each other in a
/// cycle.
Result<std::vector<ExportUnit>> unitsOf(const Graph &graph, const Partition *partition);

/// Returns a readable name for each subgraph: the prefix, its number and its first operators, such
/// as "subgraph_012_Conv_BatchNormalization_Relu". Letters, digits and underscores only; unique.
std::vector<std::string> nameSubgraphs(const Graph &graph, const Partition &partition,
                                       const std::string &prefix = "subgraph");

} // namespace graphloom
