// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <functional>
#include <optional>
#include <vector>

namespace graphloom {

/// Describes a sum whose target position an index map gives, as gradients of the reads of a stage
/// do:
///     for all axes: value[target] += factor
/// Points outside the value are dropped, unless `outside` says where they count.
struct Scatter {
    std::vector<Axis> axes;
    std::vector<Read> reads;
    Expr factor; // over the reads and the axes
    IndexMap target;
    Read::Outside outside = Read::Outside::Never;
};

/// Tells what is known of the tensors that are read.
struct OperandFacts {
    std::function<Shape(const Operand &)> shape;
    std::function<DataType(const Operand &)> type;
};

/// Returns the scatter as stages that write every element of a value of the given shape once: the
/// map is solved for the axes. Axes that it does not determine become reductions. A window with a
/// stride gives one stage for each phase of the stride. Lookups, and maps that cannot be solved
/// better, become a choice (1 where the position is the target, else 0). Requires that compact()
/// and accumulated() return nothing.
std::vector<Stage> gathered(const Scatter &scatter, const Shape &shape, const OperandFacts &facts);

/// Returns the scatter as two stages if its target depends on data and several points may go to one
/// element: one fills the value with 0, the other adds each point to its element, so that the work
/// grows with the number of points. Returns nothing if a choice for each element takes no more
/// work. `value` is what both write, of reals of the given type.
std::optional<std::vector<Stage>> accumulated(const Scatter &scatter, const Shape &shape, int value,
                                              DataType type);

/// Splits a sum over reductions that reaches few of the elements (every other one, those of one
/// column): it is computed for these alone and put into place afterwards.
struct Compact {
    Scatter sum; // into a value of `shape`
    Shape shape;
    Scatter place; // of that value, its read 0, whose operand is still to be set
};
std::optional<Compact> compact(const Scatter &scatter, const Shape &shape);

} // namespace graphloom
