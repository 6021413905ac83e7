// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/rewrite.h"

#include "engine/rewrite/greedy.h"
#include "engine/rewrite/saturation.h"

namespace graphloom {

Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options)
{
    return options.strategy == RewriteOptions::Strategy::Greedy
               ? rewriteGreedily(graph, opsets, rules, options)
               : rewriteBySaturation(graph, opsets, rules, options);
}

} // namespace graphloom
