// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/nests/nest.h"

#include <optional>

namespace graphloom {

/// Names the operands of a nest that sums products of two loads.
struct Contraction {
    int a = 0, b = 0; // reads
    /// Space axes on which only A, only B (or neither), or both operands depend.
    std::vector<int> onlyA, onlyB, both;
};
std::optional<Contraction> contractionOf(const Nest &nest);

} // namespace graphloom
