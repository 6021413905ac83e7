// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

namespace graphloom {

/// Whether two expressions are the same, operands of commutative functions taken in any order, and
/// those of nested associative ones in any grouping, as are factors and divisors of reals: they may
/// round differently.
bool sameExpression(const Expr &a, const Expr &b);
/// The same once two reads have changed places in one of them.
bool sameWithReadsExchanged(const Expr &a, const Expr &b, int first, int second);
/// Does the value depend on the element of a read?
bool dependsOn(const Expr &expr, int read);

} // namespace graphloom
