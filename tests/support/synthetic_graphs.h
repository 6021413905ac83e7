// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/model.h"

#include <cstddef>
#include <memory>

namespace graphloom::test {

// Graphs with the structure of real models, of about `nodes` nodes, with types, consistent
// shapes and splat weights. The same arguments give the same graph.

/// Bottleneck blocks with residual connections, every fourth with a projection.
Graph resNetLike(std::size_t nodes);

/// Encoder layers as exported from a framework: layer normalization and GELU in pieces,
/// attention with reshapes and transposes. With a mask, one tensor feeds every layer.
Graph transformer(std::size_t nodes, bool mask = false);

/// An encoder and a decoder joined by skips: the first block's output is read by the last.
Graph unet(std::size_t nodes);

/// The graph as if it had been opened from a file.
std::shared_ptr<const Model> modelOf(Graph graph);

} // namespace graphloom::test
