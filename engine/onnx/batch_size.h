// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <cstdint>

namespace graphloom {

/// Returns the graph with another first extent of its inputs, if that is a number in the file.
/// Shapes that contain the old extent are changed, too: the target of a Reshape of something
/// computed from the inputs contains it in its first entry that is not 1 (in the first one, if the
/// old extent is 1), alone or as a factor, unless that entry is 0 or -1; the target of an Expand
/// whose result is read together with something computed from the inputs, in its first entry, if it
/// is more than 1. Whether the result is a valid graph is left to shape inference. Expects a graph
/// that is not inferred yet: shapes of all but inputs and constants are dropped.
/// Fails (Usage) naming the inputs if their first extents differ, and (Model) naming the node if
/// the target of a Reshape does not contain the old extent.
Result<Graph> withBatchSize(const Graph &graph, std::int64_t size);

} // namespace graphloom
