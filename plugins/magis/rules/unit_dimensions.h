// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <span>

namespace graphloom::magis {

/// Tells whether two descriptions compute the same, regardless of dimensions of extent 1 of their
/// tensors. The shapes are those of the inputs of each, empty for omitted ones.
bool sameWithoutUnits(const Description &a, std::span<const Shape> inputsOfA, const Description &b,
                      std::span<const Shape> inputsOfB);

} // namespace graphloom::magis
