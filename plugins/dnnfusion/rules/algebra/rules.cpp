// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/algebra/rules.h"

#include <iterator>

namespace graphloom::dnnfusion {

std::span<const Rule> algebraicRules()
{
    static const std::vector<Rule> all = [] {
        std::vector<Rule> rules;
        for (const auto make :
             {associativityRules, inversionRules, functionRules, factoringRules, tableRules,
              reductionRules, contractionRules, movingRules, commutationRules}) {
            auto some = make();
            std::move(some.begin(), some.end(), std::back_inserter(rules));
        }
        return rules;
    }();
    return all;
}

} // namespace graphloom::dnnfusion
