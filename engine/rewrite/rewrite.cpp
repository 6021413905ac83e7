// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/rewrite.h"

#include "engine/rewrite/greedy.h"

namespace graphloom {

Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options)
{
    return rewriteGreedily(graph, opsets, rules, options);
}

} // namespace graphloom
