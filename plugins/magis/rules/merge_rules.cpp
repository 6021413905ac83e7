// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/call_groups.h"
#include "plugins/magis/rules/graph_rule.h"

#include <algorithm>
#include <array>

namespace graphloom::magis {

std::span<const GraphRule> mergeRules()
{
    static const std::array<GraphRule, 11> rules = {{
        {"stack-calls-that-share-operands", "aggregation",
         "f(x, a), f(x, b) = slices of f(x, Stack(a, b))",
         "f sums products, and a further outermost dimension of an operand is one of the result",
         "same", stacksOfSharing},
        {"concatenate-calls-that-share-operands", "aggregation",
         "f(x, a), f(x, b) = Split(f(x, Concat(a, b)))",
         "f sums products, and a dimension of an operand is one of the result", "same",
         concatenationsOfSharing},
        {"stack-sums-of-calls", "aggregation", "f(a, c) + f(b, d) = f(Stack(a, b), Stack(c, d))",
         "f sums products over a further outermost dimension, too", "fewer by the additions",
         stacksOfSums},
        {"concatenate-sums-of-calls", "aggregation",
         "f(a, c) + f(b, d) = f(Concat(a, b), Concat(c, d))",
         "f sums products over a dimension of its operands", "fewer by the additions",
         concatenationsOfSums},
        {"merge-calls-of-parts", "aggregation", "f(Split(x)) = Split(f(x))",
         "all parts go through calls alike, along a dimension that f works through one by one",
         "same", callsOfParts},
        {"merge-calls-before-concat", "interim", "Concat(f(a), f(b)) = f(Concat(a, b))",
         "nothing else reads f(a) and f(b); along a dimension that f works through one by one",
         "same", callsBeforeJoining},
        {"regroup-sums", "interim", "(x + f(a)) + f(b) = x + (f(a) + f(b))",
         "f sums products; of values of one shape", "same", sumsToRegroup},
        {"drop-concat-of-parts", "interim", "Concat(Split(x)) = x", "all parts in their order",
         "same", joinedParts},
        {"drop-split-of-concat", "interim", "Split(Concat(a, b)) = a, b", "the same parts", "same",
         dividedWholes},
        {"scale-operand-of-product", "interim", "s * f(a, b) = f(s * a, b)",
         "f sums products and nothing else reads f(a, b); s is a number, and a has fewer elements",
         "fewer multiplications by s", scaledResults},
        {"scale-result-of-product", "interim", "f(s * a, b) = s * f(a, b) or f(a, s * b)",
         "all that reads s * a sums products; s is a number, and what it multiplies then has fewer "
         "elements",
         "fewer multiplications by s", scaledOperands},
    }};
    return rules;
}

std::span<const RuleFacts> mergeRuleFacts()
{
    static const std::vector<RuleFacts> facts = [] {
        std::vector<RuleFacts> list;
        for (const GraphRule &rule : mergeRules())
            list.push_back({.name = rule.name,
                            .category = rule.category,
                            .formula = rule.formula,
                            .domain = rule.domain,
                            .flops = rule.flops});
        return list;
    }();
    return facts;
}

bool stillApplies(const Graph &graph, const RuleSite &site)
{
    return std::ranges::all_of(site.nodes, [&](NodeId id) { return graph.contains(id); }) &&
           (site.calls.empty() || areIndependent(graph, site.calls));
}

} // namespace graphloom::magis
