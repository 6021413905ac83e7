// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/dnnfusion/rules/algebra/operators.h"

/// Helpers that rules are written with.
namespace graphloom::dnnfusion {

using Category = Rule::Category;

/// Makes a call of the operator that applies the function.
inline Pattern apply(Fn fn, Pattern a, Pattern b)
{
    return call(operatorOf(fn), {std::move(a), std::move(b)});
}
inline TensorId apply(Builder &builder, Fn fn, TensorId a, TensorId b)
{
    return builder.call(operatorOf(fn), {a, b});
}
/// Makes a call of a unary operator with this name; the operator's parameters become variables p1,
/// p2…
Pattern apply(const UnaryOperator &op, Pattern x, const std::string &as);
std::vector<std::string> parametersOf(const UnaryOperator &op); // p1, p2…
/// Repeats the matched call of a unary operator on another input.
TensorId again(const Match &match, Builder &builder, const std::string &call, TensorId x);
/// Tells whether two matched calls have the same attributes.
bool sameAttributes(const Match &match, const std::string &a, const std::string &b);

/// Describes what a matched elementwise call does to its input `input`, with its own attributes and
/// parameters, for elements of that input in the given range.
struct Scalar {
    Elementwise function;
    int read;
    std::vector<Range> loads;

    bool turns(Fn from, Fn to) const;
};
std::optional<Scalar> scalarOf(const Match &match, const std::string &call, std::size_t input,
                               const Range &domain);
/// Returns the same for a call of an operator without attributes.
Scalar scalarOf(const UnaryOperator &op, const Range &domain);

inline Requirement within(std::string variable, Range range)
{
    return {std::move(variable), Requirement::Kind::Within, range};
}
inline Requirement nonNegative(std::string variable)
{
    return within(std::move(variable), Range::atLeast(0));
}
inline Requirement nonZero(std::string variable)
{
    return {std::move(variable), Requirement::Kind::NonZero, {}};
}
inline Requirement finite(std::string variable)
{
    return {std::move(variable), Requirement::Kind::Finite, {}};
}
inline Requirement positive(std::string variable)
{
    return {std::move(variable), Requirement::Kind::Positive, {}};
}

/// Describes when a statement about a function of two arguments, one of which is held fixed, is
/// true.
struct Case {
    Range range;        // of the argument that varies
    std::string suffix; // for rule names: "", "-by-nonnegative"
};

/// Makes a constant all of whose elements are this number, in the shape of a value; refuses if the
/// shape is not known.
TensorId filled(Builder &builder, const Tensor &like, double value);

} // namespace graphloom::dnnfusion
