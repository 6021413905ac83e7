// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"
#include "plugins/magis/rules/joint.h"

#include <optional>
#include <vector>

namespace graphloom::magis {

/// Describes one call that replaces several calls of its operator. Whether there is one follows
/// from descriptions: the call on joined operands must have a split (splits.h) into parts that
/// compute what the calls compute.
struct CallMerge {
    std::vector<NodeId> calls; // in the order of their parts
    /// Operator and attributes of the one call, and those of its inputs that all calls share; the
    /// other inputs are invalid.
    Node node;
    std::vector<std::optional<Joint>> inputs; // how the inputs that are not shared are joined
    std::vector<Joint> outputs;               // how results are joined in the one; empty for sums

    /// Returns the operands of an input that have to be joined, in the order of the calls.
    std::vector<TensorId> operands(const Graph &graph, std::size_t input) const;
};

/// Selects how the results of merged calls relate to the one result.
enum class Merging {
    Parts, // they are parts of the one result
    Sum,   // the one result is their sum
};
/// Selects how operands are joined: as slices of a new dimension, or along an existing one.
enum class Joining { Stack, Along };

/// Returns the merge of calls of a graph whose extents are numbers. Returns nothing if there is no
/// such call. Does not check whether the calls depend on each other.
std::optional<CallMerge> mergeOf(const Graph &graph, const Opsets &opsets,
                                 const std::vector<NodeId> &calls, Merging merging,
                                 Joining joining);

} // namespace graphloom::magis
