// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/dim.h"
#include "engine/ops/describe/expr.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// A loop of a stage. Every point of the space axes yields one element of the result; the
/// reduction axes are gathered up by the stage's combination.
struct Axis {
    enum class Kind { Space, Reduce };

    std::string name;
    Dim extent;
    Kind kind = Kind::Space;
};

/// One dimension of an index map: an affine expression of the axes; then, if wanted, divided
/// (rounded down) and reduced modulo; then, if wanted, put through a table fixed when the
/// operator call is described (Resize), or replaced by a data-dependent value (Gather).
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
    /// If not negative, value = element loaded by this read of the stage (an integer; negative
    /// ones count from the end of the dimension), plus the affine part.
    int lookup = -1;

    static Index constant(Dim value) { return {{}, std::move(value), 1, 0, nullptr, -1}; }
    static Index axis(int axis, Dim coefficient = 1, Dim offset = 0)
    {
        return {{{axis, std::move(coefficient)}}, std::move(offset), 1, 0, nullptr, -1};
    }
    bool isAffine() const { return divide == Dim(1) && modulo == Dim(0) && !table && lookup < 0; }
};

/// One index per dimension of a tensor.
using IndexMap = std::vector<Index>;

/// The tensor that a read refers to: an input of the node, or a value that an earlier stage of
/// the same description has written.
struct Operand {
    enum class Kind { Input, Value };
    Kind kind = Kind::Input;
    int index = 0;
    bool operator==(const Operand &) const = default;
};

struct Read {
    /// What a read gives where its index map leaves the tensor.
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

/// How the points of the reduction axes are gathered.
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

/// One loop nest:
///     for all space axes: acc = initial; for all reduction axes: acc = combine(acc, body);
///                         value[write] = finish(acc)
/// `finish` is over Accumulator and reads off reduction axes; empty: acc. ArgMax gathers a position
/// on the one reduction axis. A `write` that looks up scatters, its points in row-major order.
struct Stage {
    std::string name;       // "sum", "max"…; says what the stage is for when there are several
    std::vector<Axis> axes; // outermost first; space axes before reduction axes
    std::vector<Read> reads;
    int value = 0; // written value of the description
    IndexMap write;
    Combine combine = Combine::None;
    double initial = 0;
    Expr body, finish;
    /// What is made of the value does not depend on it but for rounding (the maximum that a softmax
    /// subtracts first): no gradient goes through it.
    bool cancels = false;
};

/// A tensor that a description writes: first the node's outputs, then intermediate results.
struct Value {
    DataType type = DataType::Undefined;
    /// Of outputs of opaque operators, as far as they are known beforehand. Otherwise it
    /// follows from the stages (shapeOf in analysis.h) and is filled in by describe().
    std::optional<Shape> shape;
    std::string otherType; // serialized TypeProto of a value that is no tensor
};

/// What one operator call computes.
struct Description {
    std::vector<Value> values;
    std::vector<Stage> stages;
    int outputs = 1; // leading values that are outputs of the node
    /// Not empty: the call is opaque (no index maps: a barrier to fusion and fission), and why:
    /// "NonZero: the number of elements depends on the data".
    std::string opaque;
    /// Multiply-accumulates of an opaque call whose extents tell them (LSTM); 0 otherwise.
    Dim opaqueMacs = 0;

    bool isOpaque() const { return !opaque.empty(); }
};

/// The stage as a formula over the names of its tensors, for example
///     y[n,o,h,w] += x[n,i,h+r-1,w+s-1] * w[o,i,r,s]
/// `inputs` and `values` are the names to print for operands.
std::string formulaOf(const Stage &stage, const std::vector<std::string> &inputs,
                      const std::vector<std::string> &values);
std::string textOf(const Index &index, const std::vector<Axis> &axes);

} // namespace graphloom
