// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/algebra/range.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

/// Declares algebraic properties of operators, derived from what their descriptions compute: facts
/// of the scalar functions, composed along the bodies of stages.
namespace graphloom {

/// Tell whether a scalar function of two arguments is commutative, associative or idempotent over
/// the reals: rounding is ignored.
bool isCommutative(Fn fn);
bool isAssociative(Fn fn);
bool isIdempotent(Fn fn); // fn(x, x) = x
/// Returns the e with fn(x, e) = x for elements of this type.
std::optional<double> identityOf(Fn fn, DataType type);
/// Returns the z with fn(x, z) = z for finite x.
std::optional<double> absorberOf(Fn fn, DataType type);
/// Describes the g with g(fn(x, y), y) = x: Sub undoes Add. For Div and Mul it holds only where y
/// is not 0, and only for reals (`exactly` false).
struct Undoing {
    Fn fn;
    bool exactly = true;
};
std::optional<Undoing> undoingOf(Fn fn);
/// Returns the function f with fn(x, y) = f(x, g(y)), where g(y) is the inverse of y: subtraction
/// adds the negative.
std::optional<Fn> groupOf(Fn fn); // Sub: Add; Div: Mul

/// Describes a call whose result at a point is one expression over the elements of its inputs
/// there.
struct Elementwise {
    Expr body;
    std::vector<int> inputs; // by read
    /// Tells, by read, whether it lacks the extents of the result (a broadcast operand, a
    /// parameter).
    std::vector<bool> broadcast;

    /// Returns the read of an input, or -1 if it has none.
    int readOf(int input) const;
    /// Returns the function whose two arguments are inputs 0 and 1, in this order, if the body is
    /// nothing else.
    std::optional<Fn> function() const;
};
/// Returns the call as an elementwise one, or nothing if it does anything else: reduces, moves
/// elements or reads one of its inputs twice.
std::optional<Elementwise> elementwiseOf(const Description &description);

/// Returns the function that combines the elements of a call's input along its reduction axes, if
/// the call does nothing else (ReduceSum: Add).
std::optional<Fn> reductionOf(const Description &description);
/// Tells whether the call computes the mean along its reduction axes (ReduceMean).
bool isMean(const Description &description);
/// Tells whether the call moves, repeats or leaves out elements of input 0 and computes nothing.
bool isMovement(const Description &description);

/// Tells, from the body of the elementwise stage, whether the call's result stays the same when two
/// of its inputs, of equal shape or broadcast, change places.
bool isCommutative(const Description &description, int first = 0, int second = 1);

/// Tells how an expression changes with the element of a read while all others stay the same.
/// `loads` are the ranges of the elements.
enum class Monotony { None, Constant, Increasing, Decreasing };
Monotony monotonyOf(const Expr &body, int read, std::span<const Range> loads);
/// Tell whether f(-x) = f(x), or f(-x) = -f(x), holds for the element of the read.
bool isEven(const Expr &body, int read);
bool isOdd(const Expr &body, int read);
/// Tells whether the expression is a * x + b, with a and b independent of the read.
bool isAffine(const Expr &body, int read);
/// Returns the functions t with t(f(x), f(y)) = f(from(x, y)) for all x and y in the ranges of
/// `loads`, where the expression is f of the element of the read: Exp turns Add into Mul.
std::set<Fn> imagesOf(const Expr &body, int read, Fn from, std::span<const Range> loads);
/// Returns a range in which the expression is the element of the read itself: 0 and above for Relu.
std::optional<Range> fixedPointsOf(const Expr &body, int read);
/// Describes the function g with g(f(x)) = x, where f is a function of one argument and x is in
/// `domain`.
struct Inverse {
    Fn fn;
    Range domain;
};
std::optional<Inverse> inverseOf(Fn fn);

} // namespace graphloom
