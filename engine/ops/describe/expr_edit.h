// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/expr.h"

#include <functional>
#include <vector>

/// Changing scalar expressions and looking through them.
namespace graphloom {

/// The expression with parts replaced: `of` gives the replacement of a leaf, or an empty Expr to
/// keep it. Shared parts stay shared.
Expr rewritten(const Expr &expr, const std::function<Expr(const Expr::Node &leaf)> &of);
/// The same for parts of any kind; what is replaced is not looked into.
Expr withParts(const Expr &expr, const std::function<Expr(const Expr &part)> &of);

/// Every node of the expression once, arguments first.
void forEachPart(const Expr &expr, const std::function<void(const Expr::Node &)> &visit);
/// Is there a part of this kind?
bool contains(const Expr &expr, Fn fn);

/// The reads that are loaded or tested.
std::vector<int> readsOf(const Expr &expr);

/// A literal real of this value, be it cast to another real type.
bool isLiteral(const Expr &value, double number);
/// Sums, products and quotients without what a literal 0 or 1 would add to them. Where a factor is
/// a choice between something and 0, so is the product.
Expr sumOf(const Expr &a, const Expr &b);
Expr productOf(const Expr &a, const Expr &b);
Expr quotientOf(const Expr &a, const Expr &b);
/// Both of two truth values; one that is empty does not count.
Expr bothOf(const Expr &a, const Expr &b);
/// The value in another type of reals.
Expr inType(const Expr &value, DataType type);

} // namespace graphloom
