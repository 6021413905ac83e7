// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// The results of a call on constants of which each has one value in all elements (splats, and
/// tensors of one element), where all elements of the results then are one value, too: as splats,
/// computed once. None for other calls and constants, and for small results. Weights that models
/// are shipped without stay small so, however large they are.
std::optional<std::vector<TensorData>> uniformResults(const Description &description,
                                                      const Call &call,
                                                      std::span<const TensorData *const> inputs);

} // namespace graphloom
