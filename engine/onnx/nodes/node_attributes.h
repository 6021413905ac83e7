// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/call_check.h"
#include "engine/onnx/nodes/graph_build.h"
#include "engine/onnx/nodes/reading_state.h"

#include <functional>
#include <vector>

namespace graphloom {

/// What a node gives for its attributes. References to attributes of the function around it are
/// replaced by what the caller gave, and left out where the caller gave nothing.
struct ResolvedAttributes {
    std::vector<GivenAttribute> list;
    std::vector<const Region *> regions; // in which graphs in the attributes find names
};

/// Fails (Model) when an attribute is given twice or refers to one of no function.
Result<ResolvedAttributes> resolveAttributes(const onnx::NodeProto &proto, const Region &region,
                                             ReadingState &state);

/// Reads a graph nested in an attribute into the region's graph.
using ReadNestedGraph = std::function<Result<Graph>(const onnx::GraphProto &, Region &)>;

/// Puts the values into the node, and what graphs among them capture from the region's graph.
Result<void> readAttributes(const ResolvedAttributes &given, const Region &region,
                            ReadingState &state, const ReadNestedGraph &readGraph, Node &node);

} // namespace graphloom
