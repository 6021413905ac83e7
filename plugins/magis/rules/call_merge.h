// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "plugins/magis/rules/joint.h"

#include <optional>
#include <vector>

namespace graphloom::magis {

/// One call in place of several calls of its operator. Whether there is one is told from
/// descriptions: the call on joined operands must have a split (splits.h) into parts that compute
/// what the calls compute.
struct CallMerge {
    std::vector<NodeId> calls; // in the order of their parts
    /// Operator and attributes of the one call; of its inputs, those that all calls share.
    Node node;
    std::vector<std::optional<Joint>> inputs; // how those are joined that are not shared
    std::vector<Joint> outputs;               // how the results are parts; of sums: none

    /// By input: the operands to be joined, in the order of the calls.
    std::vector<TensorId> operands(const Graph &graph, std::size_t input) const;
};

/// What becomes of the results of merged calls.
enum class Merging {
    Parts, // they are parts of the one result
    Sum,   // the one result is their sum
};
/// How operands are joined.
enum class Joining { Stack, Along };

/// The merge of calls of a graph, whose extents are numbers; none where there is no such call.
/// Whether the calls depend on each other is not looked at.
std::optional<CallMerge> mergeOf(const Graph &graph, const Opsets &opsets,
                                 const std::vector<NodeId> &calls, Merging merging,
                                 Joining joining);

} // namespace graphloom::magis
