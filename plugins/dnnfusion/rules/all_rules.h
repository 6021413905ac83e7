// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <span>

namespace graphloom::dnnfusion {

/// Returns all rules of the pass, algebraic ones and clean-ups; their names are unique.
std::span<const Rule> allRules();

} // namespace graphloom::dnnfusion
