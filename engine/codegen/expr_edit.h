// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index_form.h"
#include "engine/ops/expr.h"

#include <functional>

namespace graphloom {

/// The expression with parts replaced: `of` gives the replacement of a leaf, or an empty Expr to
/// keep it. Shared parts stay shared.
Expr rewritten(const Expr &expr, const std::function<Expr(const Expr::Node &leaf)> &of);

/// The value of an index form as a 64-bit integer over axes and loads.
Expr exprOf(const IndexForm &form);

/// Scalar work of one evaluation, shared parts counted once: 1 for an addition or the like, more
/// for divisions and functions.
int workOf(const Expr &expr);

/// Every node of the expression once, arguments first.
void forEachPart(const Expr &expr, const std::function<void(const Expr::Node &)> &visit);

/// The reads that are loaded or tested.
std::vector<int> readsOf(const Expr &expr);

} // namespace graphloom
