// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <vector>

namespace graphloom::dnnfusion {

/// What users of graph simplifiers expect: calls that do nothing go, constants and parameters are
/// taken together, chains of movement become one. Each list is of one idea.
std::vector<Rule> passingRules();    // calls that give one of their inputs, equal calls
std::vector<Rule> arithmeticRules(); // chains of constants, powers, divisions
std::vector<Rule> linearRules();     // into the weights and biases of convolutions and products
std::vector<Rule> chainRules();      // transposes and reshapes
std::vector<Rule> borderRules();     // padding into windows
std::vector<Rule> selectionRules();  // Where, Expand, Cast

/// All of them.
std::vector<Rule> cleanupRules();

} // namespace graphloom::dnnfusion
