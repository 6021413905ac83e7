// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/fusion/facts/block_rules.h"
#include "engine/pass/pass.h"

#include <array>

namespace graphloom::dnnfusion {

/// Lists the choices of the parameter "rewrite".
inline constexpr std::array<std::string_view, 3> strategies = {"greedy", "equality-saturation",
                                                               "off"};

/// Names the choices of the parameter "fusion".
enum class Fusion { MappingTypes, FixedPatterns };
inline constexpr std::array<std::string_view, 2> fusions = {"mapping-types", "fixed-patterns"};

/// Returns the parameters of the pass.
std::span<const Parameter> parameterTable();
/// Returns the constraints of fused blocks that the settings give.
BlockLimits limitsOf(const Settings &settings);

} // namespace graphloom::dnnfusion
