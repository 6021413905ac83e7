// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/stage.h"

#include <limits>
#include <span>

namespace graphloom {

/// Bounds of a value: every element that is a number lies in [least, most]. An element may be
/// infinite only where a bound is. Nothing is said about NaN, nor about what comes of a division by
/// zero, which has the sign of that zero.
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

/// The least range that holds both.
Range hull(const Range &a, const Range &b);
/// What elements of a type can be; reals may be infinite.
Range rangeOf(DataType type);

/// The range of an expression. `loads` are the ranges of what its reads load, `accumulator` that
/// of what the reduction has gathered.
Range rangeOf(const Expr &body, std::span<const Range> loads, const Range &accumulator = {});
/// The range of an output for given ranges of the inputs (omitted ones count as anything). Of a
/// product where the same value meets itself (x * x) both factors are taken to be equal.
Range rangeOf(const Description &description, int output, std::span<const Range> inputs);

} // namespace graphloom
