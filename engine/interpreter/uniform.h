// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <span>
#include <vector>

namespace graphloom {

/// Returns the results of a call as splats, computed once, if each constant that it reads has one
/// value in all elements (splats, and tensors of one element) and so has each result. Returns
/// nothing for other calls and constants, and for small results. Weights of models that are shipped
/// without trained values thus stay small, however large their extents.
std::optional<std::vector<TensorData>> uniformResults(const Description &description,
                                                      const Call &call,
                                                      std::span<const TensorData *const> inputs);

} // namespace graphloom
