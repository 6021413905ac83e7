// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/gradient/gradient.h"

#include <optional>
#include <vector>

namespace graphloom::magis {

using OmittedInputs = std::vector<OmittedInput>;

/// One of the calls that are to become one.
struct MergeMember {
    const Node *node;
    std::vector<Tensor> tensors; // what is known of its inputs
    OmittedInputs omitted;       // of a gradient node
    Description description;

    /// Of an input; empty where it is omitted.
    Shape shape(std::size_t input) const;
    /// The highest rank of all that it reads and writes.
    int rank() const;
};

/// Could two calls be parts of one, as far as operator, attributes and present operands tell?
bool areAlike(const Graph &graph, NodeId a, NodeId b);

/// What is known of calls that are alike; none where they are not, or are opaque.
std::optional<std::vector<MergeMember>>
mergeMembers(const Graph &graph, const std::vector<NodeId> &calls, std::int64_t opset);

/// What the one call may say of forward inputs that it does not have, as a gradient node: as each
/// call does, or of those of all calls joined. One empty list for other nodes.
std::vector<OmittedInputs> omittedToTry(const std::vector<MergeMember> &members, bool stacks);

/// What a node computes for what is known of its inputs.
Result<Description> describeWith(const Node &node, const std::vector<Tensor> &tensors,
                                 std::int64_t opset);

} // namespace graphloom::magis
