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
         "f is a contraction, and a further outermost dimension of an operand is one of the result",
         "same", stacksOfSharing},
        {"concatenate-calls-that-share-operands", "aggregation",
         "f(x, a), f(x, b) = Split(f(x, Concat(a, b)))",
         "f is a contraction, and a dimension of an operand is one of the result", "same",
         concatenationsOfSharing},
        {"stack-sums-of-calls", "aggregation", "f(a, c) + f(b, d) = f(Stack(a, b), Stack(c, d))",
         "f is a contraction, and also sums over a further outermost dimension",
         "saves the additions", stacksOfSums},
        {"concatenate-sums-of-calls", "aggregation",
         "f(a, c) + f(b, d) = f(Concat(a, b), Concat(c, d))",
         "f is a contraction over a dimension of its operands", "saves the additions",
         concatenationsOfSums},
        {"merge-calls-of-parts", "aggregation", "f(Split(x)) = Split(f(x))",
         "all parts pass through identical calls, and f processes each element of the split "
         "dimension independently",
         "same", callsOfParts},
        {"merge-calls-before-concat", "interim", "Concat(f(a), f(b)) = f(Concat(a, b))",
         "nothing else reads f(a) and f(b), and f processes each element of the concatenated "
         "dimension independently",
         "same", callsBeforeJoining},
        {"regroup-sums", "interim", "(x + f(a)) + f(b) = x + (f(a) + f(b))",
         "f is a contraction; all values have one shape", "same", sumsToRegroup},
        {"drop-concat-of-parts", "interim", "Concat(Split(x)) = x", "all parts in their order",
         "same", joinedParts},
        {"drop-split-of-concat", "interim", "Split(Concat(a, b)) = a, b", "the same parts", "same",
         dividedWholes},
        {"scale-operand-of-product", "interim", "s * f(a, b) = f(s * a, b)",
         "f is a contraction and nothing else reads f(a, b); s is a number, and a has fewer "
         "elements",
         "fewer multiplications by s", scaledResults},
        {"scale-result-of-product", "interim", "f(s * a, b) = s * f(a, b) or f(a, s * b)",
         "all readers of s * a are contractions; s is a number, and what it then multiplies has "
         "fewer elements",
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
