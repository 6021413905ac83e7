// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

/// Short names for what the entries of the operator table write most.
namespace graphloom::entries {

/// The extents are known to differ.
inline bool contradict(const Dim &a, const Dim &b)
{
    return (a - b).constant().value_or(0) != 0;
}

/// An extent as a value of a body, be it symbolic.
inline Expr known(const Dim &value)
{
    return value.isConstant() ? Expr::integer(value.value())
                              : Expr::table({value}, Expr::integer(0));
}
/// In double precision.
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

/// The least and the greatest value of an element of a type; infinite of floating-point types.
double lowest(DataType type);
double highest(DataType type);

} // namespace graphloom::entries
