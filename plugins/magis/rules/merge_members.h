// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"
#include "engine/ops/gradient/gradient.h"

#include <optional>
#include <vector>

namespace graphloom::magis {

using OmittedInputs = std::vector<OmittedInput>;

/// Describes one of the calls that are to become one.
struct MergeMember {
    const Node *node;
    std::vector<Tensor> tensors; // its inputs
    OmittedInputs omitted;       // forward inputs that a gradient node does not have
    Description description;

    /// Returns the shape of an input; empty if it is omitted.
    Shape shape(std::size_t input) const;
    /// Returns the highest rank of all tensors that the call reads and writes, and of the omitted
    /// forward inputs.
    int rank() const;
};

/// Tells whether two calls could be parts of one, judging by operator, attributes, and which
/// operands are present.
bool areAlike(const Graph &graph, NodeId a, NodeId b);

/// Returns the descriptions of calls that are alike. Returns nothing if they are not alike, or if
/// one is opaque or has a shape that is not known.
std::optional<std::vector<MergeMember>>
mergeMembers(const Graph &graph, const std::vector<NodeId> &calls, std::int64_t opset);

/// Returns the lists of omitted forward inputs to try for the one call. A gradient node states the
/// shapes of forward inputs that it does not have as operands; in the merged call, each of these
/// shapes may be that of all calls, if it is the same, or the shape that joining them gives (as a
/// stack, or along any of the dimensions). Every combination is one list; nothing is returned if
/// there are too many. For nodes without omitted inputs there is one list, which is empty.
std::vector<OmittedInputs> omittedToTry(const std::vector<MergeMember> &members, bool stacks);

/// Describes what a node computes for inputs with these properties.
Result<Description> describeWith(const Node &node, const std::vector<Tensor> &tensors,
                                 std::int64_t opset);

} // namespace graphloom::magis
