// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/rewrite.h"

#include "engine/ir/open_constants.h"
#include "engine/rewrite/drivers/greedy.h"
#include "engine/rewrite/drivers/saturation.h"

namespace graphloom {

Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options)
{
    if (!options.variables.empty()) {
        RewriteOptions others = options;
        others.variables.clear();
        const auto open = withOpenConstants(graph, options.variables);
        if (!open)
            return tl::unexpected(open.error());
        auto result = rewrite(*open, opsets, rules, others);
        if (!result)
            return result;
        auto closed = withClosedConstants(result->graph, graph, options.variables);
        if (!closed)
            return tl::unexpected(closed.error());
        result->graph = *std::move(closed);
        return result;
    }
    return options.strategy == RewriteOptions::Strategy::Greedy
               ? rewriteGreedily(graph, opsets, rules, options)
               : rewriteBySaturation(graph, opsets, rules, options);
}

} // namespace graphloom
