// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"

#include <cstddef>
#include <memory>

namespace graphloom::test {

// Graphs with the structure of real models, of about `nodes` nodes, with types, consistent
// shapes and splat weights. The same arguments give the same graph.

/// Returns bottleneck blocks with residual connections, every fourth with a projection.
Graph resNetLike(std::size_t nodes);

/// Returns encoder layers as exported from a framework: layer normalization and GELU decomposed
/// into several operators, attention with reshapes and transposes. With a mask, one tensor feeds
/// every layer.
Graph transformer(std::size_t nodes, bool mask = false);

/// Returns an encoder and a decoder joined by skips: the last block reads the first block's output.
Graph unet(std::size_t nodes);

/// Returns the graph as if it had been opened from a file.
std::shared_ptr<const Model> modelOf(Graph graph);

} // namespace graphloom::test
