// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"
#include "engine/ops/describe/expr_edit.h"

namespace graphloom {

/// Return what a leaf refers to, of which an expression holds the bare number.
inline ReadIndex readIn(const Expr::Node &leaf)
{
    return ReadIndex(leaf.index);
}
inline AxisIndex axisIn(const Expr::Node &leaf)
{
    return AxisIndex(leaf.index);
}
/// Return leaves that refer to a read or an axis.
Expr loadOf(ReadIndex read, DataType type);
Expr insideOf(ReadIndex read);
Expr positionOn(AxisIndex axis);
/// Returns the reads that are loaded or tested.
std::vector<ReadIndex> readsIn(const Expr &expr);

/// Returns the value of an index form as a 64-bit integer over axes and loads.
Expr exprOf(const IndexForm &form);

/// Returns the scalar work of one evaluation, with shared parts counted once: 1 for an addition or
/// the like, more for divisions and functions.
int workOf(const Expr &expr);

} // namespace graphloom
