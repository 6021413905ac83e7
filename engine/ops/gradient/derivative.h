// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <optional>

namespace graphloom {

/// What an expression is derived by: the element that a read loads, or the accumulator.
struct Variable {
    static Variable load(int read) { return {Fn::Load, read}; }
    static Variable accumulator() { return {Fn::Accumulator, 0}; }

    Fn fn;
    int read;
};

/// The derivative of a real expression, itself an expression over the same reads and axes; a
/// literal 0 where it does not depend on the variable. Functions with steps (Floor, Sign,
/// comparisons) count as flat, and where two branches meet (Abs, Max, Select) one of the two
/// sides is taken, as frameworks do. None where a function has no derivative: of integers, bits
/// and remainders by what depends on the variable.
std::optional<Expr> derivative(const Expr &value, const Variable &variable);

} // namespace graphloom
