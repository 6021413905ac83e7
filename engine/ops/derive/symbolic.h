// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

namespace graphloom {

/// The elements of a small integer output as expressions, by running the description's stages
/// over expressions instead of numbers: how shape arithmetic (Shape, Gather, Concat, Mul…)
/// becomes known. None when an element depends on data, is not an integer, or the output or
/// the work is not small.
std::optional<std::vector<Dim>> symbolicValues(const Description &description, const Call &call,
                                               int output);

} // namespace graphloom
