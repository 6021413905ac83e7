// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <optional>

namespace graphloom {

/// Names the variable of a derivative: the element that a read loads, or the accumulator.
struct Variable {
    static Variable load(int read) { return {Fn::Load, read}; }
    static Variable accumulator() { return {Fn::Accumulator, 0}; }

    Fn fn;
    int read;
};

/// Returns the derivative of a real expression, itself an expression over the same reads and axes;
/// a literal 0 if it does not depend on the variable. Functions with steps (Floor, Sign,
/// comparisons) count as flat, and where two branches meet (Abs, Max, Select) one of the two sides
/// is taken, as frameworks do. Returns nothing if a function has no derivative: functions of
/// integers, of bits, and remainders whose divisor depends on the variable.
std::optional<Expr> derivative(const Expr &value, const Variable &variable);

} // namespace graphloom
