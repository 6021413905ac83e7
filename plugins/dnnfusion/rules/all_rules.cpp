// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rules/all_rules.h"

#include "plugins/dnnfusion/rules/cleanup.h"

namespace graphloom::dnnfusion {

std::span<const Rule> allRules()
{
    static const std::vector<Rule> rules = cleanupRules();
    return rules;
}

} // namespace graphloom::dnnfusion
