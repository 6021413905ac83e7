// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/nodes/graph_build.h"
#include "engine/onnx/nodes/reading_state.h"

#include <vector>

namespace graphloom {

/// Adds the pending nodes to the graph, in a topological order and in the form of the target opset;
/// nodes that fill a tensor of constant shape become constants. Fails (Model) with the place if the
/// nodes form a cycle or have no newer form.
Result<void> addPendingNodes(GraphBuild &build, const std::vector<TensorId> &outputs,
                             ReadingState &state);

} // namespace graphloom
