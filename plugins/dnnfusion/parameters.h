// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/block_rules.h"
#include "engine/pass/pass.h"

#include <array>

namespace graphloom::dnnfusion {

/// Choices of the parameter "rewrite".
inline constexpr std::array<std::string_view, 3> strategies = {"greedy", "equality-saturation",
                                                               "off"};

/// The parameters of the pass.
std::span<const Parameter> parameterTable();
/// Constraints of fused blocks as they are set.
BlockLimits limitsOf(const Settings &settings);

} // namespace graphloom::dnnfusion
