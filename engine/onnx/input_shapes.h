// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/onnx/import.h"

namespace graphloom {

/// Returns the graph with the input shapes and the batch size that the options request. Symbols
/// that this gives a value have it everywhere; if a request contradicts a plain number in the file,
/// all declared shapes of intermediate results and outputs are dropped, since they follow from the
/// old number. A batch size applies to inputs whose first extent is a symbol, unless a shape gives
/// it a number; if there is none, and no shape is given, the fixed first extents are changed
/// (batch_size.h). Fails (Usage), naming the existing inputs, for an unknown input, a wrong rank,
/// an extent that is not positive, or two values for one symbol.
Result<Graph> withInputShapes(const Graph &graph, const ImportOptions &options);

} // namespace graphloom
