// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <vector>

namespace graphloom::dnnfusion {

/// Each list below holds the rules of one idea that users of graph simplifiers expect: calls that
/// do nothing go, constants and parameters are folded, chains of movement become one.
std::vector<Rule> passingRules();    // calls that return one of their inputs, equal calls
std::vector<Rule> arithmeticRules(); // chains of constants, powers, divisions
std::vector<Rule> linearRules();     // folding into weights and biases of convolutions and products
std::vector<Rule> chainRules();      // transposes and reshapes
std::vector<Rule> borderRules();     // folding padding into windows
std::vector<Rule> selectionRules();  // Where, Expand, Cast

/// Returns all rules of the lists above.
std::vector<Rule> cleanupRules();

} // namespace graphloom::dnnfusion
