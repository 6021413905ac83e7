// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <span>

namespace graphloom::magis {

/// Do two descriptions compute the same, whatever dimensions of extent 1 their tensors have? The
/// shapes are those of the inputs of each; empty where omitted.
bool sameWithoutUnits(const Description &a, std::span<const Shape> inputsOfA, const Description &b,
                      std::span<const Shape> inputsOfB);

} // namespace graphloom::magis
