// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"
#include "engine/ir/graph.h"
#include "engine/onnx/import.h"

namespace graphloom {

/// The graph with the input shapes and the batch size that the options wish. Symbols that this
/// gives a value have it everywhere; where a wish contradicts a plain number in the file, all
/// declared shapes of intermediate results and outputs are dropped, since they follow from the
/// old number. A batch size is for inputs whose first extent is a symbol; where there is none, and
/// no shape is given, the fixed first extents are changed (batch_size.h). Fails (Usage), naming the
/// inputs there are, for an unknown input, a wrong rank, an extent that is not positive, or two
/// values for one symbol.
Result<Graph> withInputShapes(const Graph &graph, const ImportOptions &options);

} // namespace graphloom
