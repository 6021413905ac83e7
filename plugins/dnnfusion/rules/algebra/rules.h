// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/rule.h"

#include <span>
#include <vector>

namespace graphloom::dnnfusion {

/// Returns the rules of mathematical-property-based rewriting (DNNFusion section 4.2): rules of
/// associativity, distributivity and commutativity for all operators whose descriptions have those
/// properties, with every row of Table 4. Each rule is checked mechanically
/// (engine/rewrite/check/check.h).
std::span<const Rule> algebraicRules();

// What algebraicRules() is put together from, by what the rules are about.
std::vector<Rule> associativityRules(); // a + (b + c), (a - b) - c, x + 0, x * 0, (a + b) - b
std::vector<Rule> inversionRules();     // --x, log(exp(x)), a + (-b), even and odd functions
std::vector<Rule> functionRules();      // exp(a) * exp(b), max(f(a), f(b)), f(x) = x
std::vector<Rule> factoringRules();     // a*c + b*c, a + a*b, max(a, min(a, b))
std::vector<Rule> commutationRules();   // a * b = b * a, (a * b) * c = (a * c) * b
std::vector<Rule> reductionRules();     // sum(a) + sum(b), max(f(x)), sum(x * s), sum(sum(x))
std::vector<Rule> contractionRules();   // conv(a, w) + conv(b, w), matmul(x * s, w)
std::vector<Rule> movingRules();        // f(expand(x)), slice(f(x)), transpose(a) + transpose(b)
std::vector<Rule> tableRules();         // rows of Table 4 that need a pattern of their own

} // namespace graphloom::dnnfusion
