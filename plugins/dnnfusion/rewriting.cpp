// SPDX-License-Identifier: Apache-2.0
#include "plugins/dnnfusion/rewriting.h"

#include "engine/plan/training_record.h"
#include "engine/rewrite/drivers/rewrite.h"
#include "plugins/dnnfusion/parameters.h"
#include "plugins/dnnfusion/rules/all_rules.h"
#include "plugins/dnnfusion/stand_ins.h"

#include <algorithm>

namespace graphloom::dnnfusion {

namespace {

/// Returns the nodes of locked parts, which must not be rewritten.
std::vector<NodeId> lockedNodes(const Plan &plan)
{
    std::vector<NodeId> nodes;
    for (std::size_t b = 0; plan.fusion && b < plan.fusion->blocks.size(); ++b)
        if (plan.fusion->blocks[b].locked) {
            const auto &members = plan.fusion->partition.subgraphs[b].nodes;
            nodes.insert(nodes.end(), members.begin(), members.end());
        }
    return nodes;
}

} // namespace

Result<void> rewritePlan(Plan &plan, const Context &context, const Opsets &opsets)
{
    const std::string_view strategy = strategies[std::size_t(context.settings.integer("rewrite"))];
    if (strategy == "off" || context.stop.stop_requested())
        return {};
    std::vector<Rule> used;
    std::ranges::copy_if(allRules(), std::back_inserter(used),
                         [&](const Rule &rule) { return context.settings.usesRule(rule.name); });
    RewriteOptions options;
    options.strategy = strategy == "greedy" ? RewriteOptions::Strategy::Greedy
                                            : RewriteOptions::Strategy::EqualitySaturation;
    options.assumeDomain = context.settings.toggle("assume-domain");
    options.stop = context.stop;
    options.progress = [&](double done) { context.progress(done / 2, "rewriting"); };
    const StandIns standIns(plan.graph, opsets, lockedNodes(plan));
    GL_TRY_RESULT(open, standIns.put(plan.graph));
    if (plan.training)
        std::ranges::copy_if(plan.training->variables, std::back_inserter(options.variables),
                             [&](TensorId id) {
                                 return open->contains(id) && open->tensor(id).constant != nullptr;
                             });
    GL_TRY_RESULT(result, rewrite(*open, opsets, used, options));
    GL_TRY_RESULT(graph, standIns.removed(result->graph));
    RewriteLog log = standIns.removed(std::move(result->log));
    if (plan.rewrite) {
        log.flopsBefore = plan.rewrite->flopsBefore;
        log.steps.insert(log.steps.begin(), plan.rewrite->steps.begin(), plan.rewrite->steps.end());
    }
    plan.rewrite = std::make_shared<const RewriteLog>(std::move(log));
    plan.graph = std::move(*graph);
    return {};
}

} // namespace graphloom::dnnfusion
