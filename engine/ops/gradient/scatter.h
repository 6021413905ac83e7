// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <functional>
#include <optional>
#include <vector>

namespace graphloom {

/// A sum that goes to where an index map says, as the gradients of what a stage reads do:
///     for all axes: value[target] += factor
/// What leaves the value goes nowhere, unless `outside` says where it counts.
struct Scatter {
    std::vector<Axis> axes;
    std::vector<Read> reads;
    Expr factor; // over the reads and the axes
    IndexMap target;
    Read::Outside outside = Read::Outside::Never;
};

/// What is known of the tensors that are read.
struct OperandFacts {
    std::function<Shape(const Operand &)> shape;
    std::function<DataType(const Operand &)> type;
};

/// The same as stages that write every element of a value of the given shape once: the map is
/// solved for the axes. Axes that it does not determine become reductions. A window with a stride
/// gives one stage for each phase of the stride; lookups, and what has no better way, become a
/// choice (1 where the position is the one looked up, else 0). Requires that !compact() and
/// !accumulated().
std::vector<Stage> gathered(const Scatter &scatter, const Shape &shape, const OperandFacts &facts);

/// The same where data say which elements the sum goes to, and several points may go to one: a
/// stage that fills the value with 0, and one that adds each point to its element, so that the work
/// is as much as there are points. None where a choice for each element is no more work than that.
/// `value` is what both write, of reals of the given type.
std::optional<std::vector<Stage>> accumulated(const Scatter &scatter, const Shape &shape, int value,
                                              DataType type);

/// A sum over reductions that reaches few of the elements (every other one, those of one column)
/// had better be taken for them alone and put into place afterwards.
struct Compact {
    Scatter sum; // into a value of `shape`
    Shape shape;
    Scatter place; // of that value, which is its read 0; the operand is to be set
};
std::optional<Compact> compact(const Scatter &scatter, const Shape &shape);

} // namespace graphloom
