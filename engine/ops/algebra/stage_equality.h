// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <span>

namespace graphloom {

/// Tells whether two descriptions compute the same, value by value and stage by stage. Loops count
/// as equal if they differ only in axes of one iteration, or in neighbouring axes that all maps go
/// through as if they were one. So do reads that are known to stay inside their tensors, whatever
/// they would return outside. `inputs` are the shapes of the inputs, the same for both; empty where
/// omitted.
bool sameComputation(const Description &a, const Description &b, std::span<const Shape> inputs);

} // namespace graphloom
