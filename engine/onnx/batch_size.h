// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"

#include <cstdint>

namespace graphloom {

/// The graph with another first extent of its inputs, where the file has a number there. Shapes
/// that hold the old one are changed, too: the target of a Reshape of something computed from the
/// inputs holds it in its first entry that is not 1 (in the first one, if the old extent is 1),
/// alone or as a factor, unless that entry is 0 or -1; that of an Expand whose result is read
/// beside something computed from the inputs, in its first entry, if it is more than 1. Whether
/// that makes a graph is for shape inference to see. Expects a graph that is not inferred yet:
/// shapes of all but inputs and constants are dropped.
/// Fails (Usage) naming the inputs when their first extents differ, and (Model) naming the node
/// when the target of a Reshape holds the old extent nowhere.
Result<Graph> withBatchSize(const Graph &graph, std::int64_t size);

} // namespace graphloom
