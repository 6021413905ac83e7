// SPDX-License-Identifier: Apache-2.0
// Rules that change the order of operands: they cost nothing, but enable other rules (Table 4,
// dagger), and make calls equal that differ only in the order.
#include "plugins/dnnfusion/rules/algebra/making.h"
#include "plugins/dnnfusion/rules/algebra/rules.h"

namespace graphloom::dnnfusion {

std::vector<Rule> commutationRules()
{
    std::vector<Rule> rules;
    const Pattern a = any("a"), b = any("b"), c = any("c");
    for (const Fn fn : binaryFunctions()) {
        if (!isCommutative(fn))
            continue;
        rules.push_back({
            .name = "swap-operands-of-" + operatorOf(fn),
            .category = Category::Commutative,
            .formula = textOf(fn, "a", "b") + " = " + textOf(fn, "b", "a"),
            .types = elementTypesOf(fn),
            .patterns = {apply(fn, a, b)},
            .build = [fn](const Match &m,
                          Builder &to) { return apply(to, fn, m.tensor("b"), m.tensor("a")); },
        });
        if (!isAssociative(fn))
            continue;
        rules.push_back({
            .name = "rotate-operands-of-" + operatorOf(fn),
            .category = Category::Commutative,
            .formula = textOf(fn, "(" + textOf(fn, "a", "b") + ")", "c") + " = " +
                       textOf(fn, "(" + textOf(fn, "a", "c") + ")", "b"),
            .types = elementTypesOf(fn),
            .patterns = {apply(fn, apply(fn, a, b), c)},
            .build =
                [fn](const Match &m, Builder &to) {
                    return apply(to, fn, apply(to, fn, m.tensor("a"), m.tensor("c")),
                                 m.tensor("b"));
                },
        });
    }
    return rules;
}

} // namespace graphloom::dnnfusion
