// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/rewrite.h"

#include "engine/ir/open_constants.h"
#include "engine/ir/opsets.h"
#include "engine/rewrite/drivers/greedy.h"
#include "engine/rewrite/drivers/saturation.h"

namespace graphloom {

Result<RewriteResult> rewrite(const Graph &graph, const Opsets &opsets, std::span<const Rule> rules,
                              const RewriteOptions &options)
{
    if (!options.variables.empty()) {
        RewriteOptions others = options;
        others.variables.clear();
        GL_TRY_CONST(open, withOpenConstants(graph, options.variables));
        GL_TRY_RESULT(result, rewrite(*open, opsets, rules, others));
        GL_TRY_RESULT(closed, withClosedConstants(result->graph, graph, options.variables));
        result->graph = *std::move(closed);
        return result;
    }
    return options.strategy == RewriteOptions::Strategy::Greedy
               ? rewriteGreedily(graph, opsets, rules, options)
               : rewriteBySaturation(graph, opsets, rules, options);
}

} // namespace graphloom
