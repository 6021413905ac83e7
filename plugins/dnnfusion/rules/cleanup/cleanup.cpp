// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <iterator>

namespace graphloom::dnnfusion {

std::vector<Rule> cleanupRules()
{
    std::vector<Rule> rules;
    for (const auto list :
         {passingRules, arithmeticRules, linearRules, chainRules, borderRules, selectionRules}) {
        auto some = list();
        rules.insert(rules.end(), std::make_move_iterator(some.begin()),
                     std::make_move_iterator(some.end()));
    }
    return rules;
}

} // namespace graphloom::dnnfusion
