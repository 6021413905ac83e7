// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <limits>
#include <span>

namespace graphloom {

/// Bounds a value: every element that is a number lies in [least, most]. An element may be infinite
/// only where a bound is. Nothing is said about NaN, nor about the result of a division by zero,
/// which has the sign of that zero.
struct Range {
    static constexpr double infinity = std::numeric_limits<double>::infinity();

    double least = -infinity;
    double most = infinity;

    static Range exactly(double value) { return {value, value}; }
    static Range atLeast(double value) { return {value, infinity}; }

    bool contains(double value) const { return least <= value && value <= most; }
    bool within(const Range &other) const { return other.least <= least && most <= other.most; }
    bool isFinite() const { return least > -infinity && most < infinity; }
    bool operator==(const Range &) const = default;
};

/// Returns the smallest range that holds both.
Range hull(const Range &a, const Range &b);
/// Returns the range of elements of a type; reals may be infinite.
Range rangeOf(DataType type);

/// Returns the range of an expression. `loads` are the ranges of the elements that its reads load,
/// `accumulator` the range of what the reduction has accumulated.
Range rangeOf(const Expr &body, std::span<const Range> loads, const Range &accumulator = {});
/// Returns the range of an output for given ranges of the inputs (omitted ones may be anything). In
/// a product of a value with itself (x * x) both factors are taken to be equal.
Range rangeOf(const Description &description, int output, std::span<const Range> inputs);

} // namespace graphloom
