// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <span>

namespace graphloom::dnnfusion {

/// All rules of the pass, algebraic ones and clean-ups; names are unique.
std::span<const Rule> allRules();

} // namespace graphloom::dnnfusion
