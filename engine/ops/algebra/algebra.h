// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/algebra/range.h"

#include <optional>
#include <set>
#include <span>
#include <vector>

/// Algebraic properties of operators, derived from what their descriptions compute: facts of the
/// scalar functions, composed along the bodies of stages.
namespace graphloom {

/// Facts of a scalar function of two arguments. "Over the reals": rounding is not looked at.
bool isCommutative(Fn fn);
bool isAssociative(Fn fn);
bool isIdempotent(Fn fn); // fn(x, x) = x
/// The e with fn(x, e) = x, for elements of this type.
std::optional<double> identityOf(Fn fn, DataType type);
/// The z with fn(x, z) = z for finite x.
std::optional<double> absorberOf(Fn fn, DataType type);
/// The g with g(fn(x, y), y) = x: Sub undoes Add. Of Div and Mul only where y is not 0, and only of
/// reals (`exactly` false).
struct Undoing {
    Fn fn;
    bool exactly = true;
};
std::optional<Undoing> undoingOf(Fn fn);
/// The g with fn(x, y) = f(x, g(y)) where fn is an f with its second argument inverted: Sub is Add
/// of the negative.
std::optional<Fn> groupOf(Fn fn); // Sub: Add; Div: Mul

/// A call whose result at a point is one expression over the elements of its inputs there.
struct Elementwise {
    Expr body;
    std::vector<int> inputs; // by read
    /// By read: it does not have the extents of the result (a broadcast operand, a parameter).
    std::vector<bool> broadcast;

    /// The read of an input; -1 when it has none.
    int readOf(int input) const;
    /// The function whose two arguments are inputs 0 and 1, in this order, and nothing else.
    std::optional<Fn> function() const;
};
/// None of calls that do anything else: reduce, move elements, read one of their inputs twice.
std::optional<Elementwise> elementwiseOf(const Description &description);

/// The function that a call gathers the elements of its input with along its reduction axes, if
/// it does nothing else (ReduceSum: Add).
std::optional<Fn> reductionOf(const Description &description);
/// Whether it gives the mean along its reduction axes (ReduceMean).
bool isMean(const Description &description);
/// Whether it moves, repeats or leaves out elements of input 0 and computes nothing.
bool isMovement(const Description &description);

/// Whether the call's result stays the same when two of its inputs, of equal shape or broadcast,
/// change places: told from the body of its elementwise stage.
bool isCommutative(const Description &description, int first = 0, int second = 1);

/// How an expression changes with the element of a read while all others stay. `loads` are the
/// ranges of the elements.
enum class Monotony { None, Constant, Increasing, Decreasing };
Monotony monotonyOf(const Expr &body, int read, std::span<const Range> loads);
/// f(-x) = f(x), f(-x) = -f(x).
bool isEven(const Expr &body, int read);
bool isOdd(const Expr &body, int read);
/// a * x + b, with a and b independent of the read.
bool isAffine(const Expr &body, int read);
/// The functions t with t(f(x), f(y)) = f(from(x, y)) for all x and y in the ranges of `loads`, the
/// expression being f of the element of the read. "Exp turns Add into Mul."
std::set<Fn> imagesOf(const Expr &body, int read, Fn from, std::span<const Range> loads);
/// A range in which the expression is the element of the read itself: of Relu, 0 and above.
std::optional<Range> fixedPointsOf(const Expr &body, int read);
/// The function g with g(f(x)) = x, where f is a function of one argument and x in the range.
struct Inverse {
    Fn fn;
    Range domain;
};
std::optional<Inverse> inverseOf(Fn fn);

} // namespace graphloom
