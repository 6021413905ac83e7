// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

/// Defines abbreviations for what the entries of the operator table write most.
namespace graphloom::entries {

/// Tells whether two extents are known to differ.
inline bool contradict(const Dim &a, const Dim &b)
{
    return (a - b).constant().value_or(0) != 0;
}

/// Returns an extent, which may be symbolic, as a value of a stage's body.
inline Expr known(const Dim &value)
{
    return value.isConstant() ? Expr::integer(value.value())
                              : Expr::table({value}, Expr::integer(0));
}
/// Returns the value converted to double precision.
inline Expr wide(const Expr &value)
{
    return Expr::cast(value, DataType::Double);
}
inline Expr min(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::Min, a, b);
}
inline Expr max(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::Max, a, b);
}
inline Expr less(const Expr &a, const Expr &b)
{
    return Expr::binary(Fn::Less, a, b);
}
inline Expr exp(const Expr &a)
{
    return Expr::unary(Fn::Exp, a);
}
inline Expr squareRoot(const Expr &a)
{
    return Expr::unary(Fn::Sqrt, a);
}

/// Return the least and the greatest value of an element of the type; floating-point types give
/// infinities.
double lowest(DataType type);
double highest(DataType type);

} // namespace graphloom::entries
