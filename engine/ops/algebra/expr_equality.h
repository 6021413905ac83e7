// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

namespace graphloom {

/// Tells whether two expressions are the same up to the order of operands of commutative functions
/// and the grouping of nested associative ones; factors and divisors of reals may be regrouped as
/// well. The two may round differently.
bool sameExpression(const Expr &a, const Expr &b);
/// Tells the same after two reads have changed places in one of the expressions.
bool sameWithReadsExchanged(const Expr &a, const Expr &b, int first, int second);
/// Tells whether the value depends on the element of a read.
bool dependsOn(const Expr &expr, int read);

} // namespace graphloom
