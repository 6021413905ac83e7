// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dim.h"
#include "engine/ops/describe/expr.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Describes a loop of a stage. Every point of the space axes yields one element of the result; the
/// stage's combination accumulates over the reduction axes.
struct Axis {
    enum class Kind { Space, Reduce };

    std::string name;
    Dim extent;
    Kind kind = Kind::Space;
};

/// Describes one dimension of an index map: an affine expression of the axes, which may then be
/// divided (rounded down) and reduced modulo a number, and then be put through a table fixed when
/// the operator call is described (Resize) or replaced by a data-dependent value (Gather).
///     value = floor((sum coefficient * axis + offset) / divide) mod modulo
struct Index {
    struct Term {
        int axis;
        Dim coefficient;
    };
    std::vector<Term> terms;
    Dim offset;
    Dim divide = 1;
    Dim modulo = 0; // 0: no remainder is taken
    /// If set, value = table[value].
    std::shared_ptr<const std::vector<std::int64_t>> table;
    /// If not negative, value = the element loaded by this read of the stage (an integer; negative
    /// ones count from the end of the dimension), plus the affine part.
    int lookup = -1;

    static Index constant(Dim value) { return {{}, std::move(value), 1, 0, nullptr, -1}; }
    static Index axis(int axis, Dim coefficient = 1, Dim offset = 0)
    {
        return {{{axis, std::move(coefficient)}}, std::move(offset), 1, 0, nullptr, -1};
    }
    bool isAffine() const { return divide == Dim(1) && modulo == Dim(0) && !table && lookup < 0; }
};

/// Holds one index per dimension of a tensor.
using IndexMap = std::vector<Index>;

/// Names the tensor that a read refers to: an input of the node, or a value that an earlier stage
/// of the same description has written.
struct Operand {
    enum class Kind { Input, Value };
    Kind kind = Kind::Input;
    int index = 0;
    bool operator==(const Operand &) const = default;
};

struct Read {
    /// Tells what a read returns where its index map leaves the tensor.
    enum class Outside {
        Never,   // proved to stay inside
        Value,   // `outsideValue`
        Clamp,   // the nearest element
        Reflect, // mirrored at the first and last element
        Wrap,    // modulo the extent
    };
    Operand operand;
    IndexMap map;
    Outside outside = Outside::Never;
    double outsideValue = 0;
};

/// Tells how the points of the reduction axes are combined.
enum class Combine : std::uint8_t {
    None,
    Sum,
    Product,
    Max,
    Min,
    ArgMax,
    ArgMin,
    ArgMaxLast,
    ArgMinLast
};

/// Describes one loop nest:
///     for all space axes: acc = initial; for all reduction axes: acc = combine(acc, body);
///                         value[write] = finish(acc)
/// `finish` is an expression over Accumulator and reads that use no reduction axes; if empty, it is
/// acc. ArgMax yields a position on the only reduction axis. A `write` with a lookup scatters, its
/// points in row-major order.
struct Stage {
    std::string name;       // "sum", "max"…; says what the stage is for when there are several
    std::vector<Axis> axes; // outermost first; space axes before reduction axes
    std::vector<Read> reads;
    int value = 0; // the value of the description that it writes
    IndexMap write;
    Combine combine = Combine::None;
    double initial = 0;
    Expr body, finish;
    /// True if later results do not depend on the value except for rounding (the maximum that a
    /// softmax subtracts first): no gradient flows through it.
    bool cancels = false;
};

/// Describes a tensor that a description writes. The node's outputs come first, then intermediate
/// results.
struct Value {
    DataType type = DataType::Undefined;
    /// Shape of an output of an opaque operator, as far as it is known beforehand. Otherwise it
    /// follows from the stages (shapeOf in analysis.h) and is filled in by describe().
    std::optional<Shape> shape;
    std::string otherType; // serialized TypeProto of a value that is not a tensor
};

/// Describes what one operator call computes.
struct Description {
    std::vector<Value> values;
    std::vector<Stage> stages;
    int outputs = 1; // leading values that are outputs of the node
    /// Reason why the call is opaque (it has no index maps and is a barrier to fusion and fission):
    /// "NonZero: the number of elements depends on the data"; empty if it is not.
    std::string opaque;
    /// Multiply-accumulates of an opaque call whose extents determine them (LSTM); 0 otherwise.
    Dim opaqueMacs = 0;

    bool isOpaque() const { return !opaque.empty(); }
};

/// Returns the stage as a formula over the names of its tensors, for example
///     y[n,o,h,w] += x[n,i,h+r-1,w+s-1] * w[o,i,r,s]
/// `inputs` and `values` are the names to print for operands.
std::string formulaOf(const Stage &stage, const std::vector<std::string> &inputs,
                      const std::vector<std::string> &values);
std::string textOf(const Index &index, const std::vector<Axis> &axes);

} // namespace graphloom
