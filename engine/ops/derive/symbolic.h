// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <optional>
#include <vector>

namespace graphloom {

/// Returns the elements of a small integer output as expressions, by running the description's
/// stages over expressions instead of numbers: this is how the results of shape arithmetic (Shape,
/// Gather, Concat, Mul…) become known. Returns nothing if an element depends on data or is not an
/// integer, or if the output or the work is not small.
std::optional<std::vector<Dim>> symbolicValues(const Description &description, const Call &call,
                                               int output);

} // namespace graphloom
