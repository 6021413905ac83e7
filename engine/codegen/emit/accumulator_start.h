// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

namespace graphloom {

/// Returns the read that this part of a value adds to the accumulator; invalid if it is anything
/// else.
ReadIndex addedToAccumulator(const Expr::Node &part);

/// Returns the read of a constant that every result of a nest adds to its sum before anything else,
/// such as a convolution's bias: a sum that starts from it needs no addition afterwards. Invalid if
/// there is none.
ReadIndex accumulatorStart(const Nest &nest, const BlockTensors &tensors);

} // namespace graphloom
