// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <optional>

namespace graphloom {

/// Names the operands of a nest that sums products of two loads.
struct Contraction {
    ReadIndex a, b;
    /// Space axes on which only A, only B (or neither), or both operands depend.
    std::vector<AxisIndex> onlyA, onlyB, both;
};
std::optional<Contraction> contractionOf(const Nest &nest);

} // namespace graphloom
