// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

#include <functional>
#include <vector>

/// Declares functions that change and search scalar expressions.
namespace graphloom {

/// Returns the expression with leaves replaced: `of` gives the replacement of a leaf, or an empty
/// Expr to keep it. Shared parts stay shared.
Expr rewritten(const Expr &expr, const std::function<Expr(const Expr::Node &leaf)> &of);
/// Returns the expression with parts of any kind replaced, as rewritten() does for leaves;
/// replacements are not searched again.
Expr withParts(const Expr &expr, const std::function<Expr(const Expr &part)> &of);

/// Visits every node of the expression once, arguments first.
void forEachPart(const Expr &expr, const std::function<void(const Expr::Node &)> &visit);
/// Tells whether the expression has a part with this function.
bool contains(const Expr &expr, Fn fn);

/// Returns the reads that are loaded or tested.
std::vector<int> readsOf(const Expr &expr);

/// Tells whether the expression is a real literal of this value, possibly cast to another real
/// type.
bool isLiteral(const Expr &value, double number);
/// Return sums, products and quotients without the operations that a literal 0 or 1 makes
/// superfluous. If a factor is a choice between a value and 0, so is the product.
Expr sumOf(const Expr &a, const Expr &b);
Expr productOf(const Expr &a, const Expr &b);
Expr quotientOf(const Expr &a, const Expr &b);
/// Returns the conjunction of two truth values; an empty one is ignored.
Expr bothOf(const Expr &a, const Expr &b);
/// Returns the value converted to another real type.
Expr inType(const Expr &value, DataType type);

} // namespace graphloom
