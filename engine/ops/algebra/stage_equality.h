// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <span>

namespace graphloom {

/// Do two descriptions compute the same, value by value and stage by stage? Loops count as equal
/// where they only differ in axes of one iteration, or in neighbouring axes that all maps go
/// through as if they were one; so do reads that are known to stay inside of their tensors,
/// whatever they would give outside. `inputs` are the shapes of the inputs, the same for both;
/// empty where omitted.
bool sameComputation(const Description &a, const Description &b, std::span<const Shape> inputs);

} // namespace graphloom
