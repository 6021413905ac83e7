// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/call_check.h"
#include "engine/onnx/nodes/graph_build.h"
#include "engine/onnx/nodes/reading_state.h"

#include <functional>
#include <vector>

namespace graphloom {

/// Holds the attributes of a node. References to attributes of the enclosing function are replaced
/// by the caller's values, and left out if the caller gave none.
struct ResolvedAttributes {
    std::vector<GivenAttribute> list;
    std::vector<const Region *> regions; // where graphs in the attributes look up names
};

/// Resolves the attributes. Fails (Model) if an attribute is given twice or refers to an attribute
/// outside any function.
Result<ResolvedAttributes> resolveAttributes(const onnx::NodeProto &proto, const Region &region,
                                             ReadingState &state);

/// Reads a graph nested in an attribute into the region's graph.
using ReadNestedGraph = std::function<Result<Graph>(const onnx::GraphProto &, Region &)>;

/// Puts the values into the node, and the tensors that graphs among them capture from the region's
/// graph.
Result<void> readAttributes(const ResolvedAttributes &given, const Region &region,
                            ReadingState &state, const ReadNestedGraph &readGraph, Node &node);

} // namespace graphloom
