// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/all_rules.h"

#include "plugins/dnnfusion/rules/algebra/rules.h"
#include "plugins/dnnfusion/rules/cleanup/cleanup.h"

#include <algorithm>
#include <iterator>

namespace graphloom::dnnfusion {

std::span<const Rule> allRules()
{
    static const std::vector<Rule> all = [] {
        std::vector<Rule> rules(algebraicRules().begin(), algebraicRules().end());
        auto cleanups = cleanupRules();
        std::ranges::move(cleanups, std::back_inserter(rules));
        return rules;
    }();
    return all;
}

} // namespace graphloom::dnnfusion
