// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/codegen/index/index_form.h"
#include "engine/ops/describe/expr_edit.h"

namespace graphloom {

/// Returns the value of an index form as a 64-bit integer over axes and loads.
Expr exprOf(const IndexForm &form);

/// Returns the scalar work of one evaluation, with shared parts counted once: 1 for an addition or
/// the like, more for divisions and functions.
int workOf(const Expr &expr);

} // namespace graphloom
