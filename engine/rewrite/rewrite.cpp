// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/rewrite.h"

#include "engine/rewrite/greedy.h"

namespace graphloom {

std::string_view nameOf(Rule::Category category)
{
    constexpr std::string_view names[] = {"associative", "distributive", "commutative", "cleanup"};
    return names[std::size_t(category)];
}

Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options)
{
    return rewriteGreedily(graph, opsets, rules, options);
}

} // namespace graphloom
