// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/plan_check.h"

#include "engine/ops/derive/infer.h"
#include "engine/plan/plan.h"
#include "engine/plan/training_record.h"

#include <algorithm>

namespace graphloom {

namespace {

tl::unexpected<Error> broken(const std::string &part, const std::string &reason)
{
    return fail(Error::Kind::Fault, "the " + part + " is invalid: " + reason);
}

template <class Id> bool holds(const Graph &graph, const std::vector<Id> &ids)
{
    return std::ranges::all_of(ids, [&](Id id) { return graph.contains(id); });
}

Result<void> checkLayouts(const Plan &plan)
{
    const LayoutPlan &layouts = *plan.layouts;
    if (plan.fusion && layouts.blocks.size() != plan.fusion->blocks.size())
        return broken("layout plan", "it belongs to other blocks");
    for (const auto &choice : layouts.blocks)
        if (choice.dominant.valid() && !plan.graph.contains(choice.dominant))
            return broken("layout plan", "it refers to a node that is not in the graph");
    for (const auto &[tensor, layout] : layouts.tensors)
        if (!plan.graph.contains(tensor))
            return broken("layout plan", "it refers to a tensor that is not in the graph");
    for (const auto &change : layouts.transformations)
        if (!plan.graph.contains(change.tensor))
            return broken("layout plan", "it refers to a tensor that is not in the graph");
    return {};
}

Result<void> checkRewriting(const RewriteLog &log)
{
    const auto isWhole = [](const GraphPart &part, const std::vector<NodeId> &nodes) {
        return part.isComplete() &&
               std::ranges::all_of(nodes, [&](NodeId id) { return part.contains(id); });
    };
    for (std::size_t s = 0; s < log.steps.size(); ++s)
        if (!isWhole(log.steps[s].before, log.steps[s].removed) ||
            !isWhole(log.steps[s].after, log.steps[s].added))
            return broken("rewrite log",
                          "step " + std::to_string(s) + " refers to missing nodes or tensors");
    return {};
}

Result<void> checkMemory(const MemoryPlan &memory)
{
    for (const MemoryPlan::Life &life : memory.lives)
        if (life.first > life.last || life.last >= memory.steps.size() || life.bytes < 0 ||
            life.offset < 0)
            return broken("memory plan", "tensor \"" + life.tensor + "\" has an invalid lifetime");
    for (std::size_t f = 0; f < memory.fissions.size(); ++f)
        if (memory.fissions[f].parent < -1 || memory.fissions[f].parent >= int(f))
            return broken("memory plan", "fission " + std::to_string(f) + " has an invalid parent");
    return {};
}

Result<void> checkFusion(const Graph &graph, const Opsets &opsets, const FusionPlan &fusion)
{
    if (fusion.within)
        GL_TRY(checkPartition(graph, *fusion.within));
    GL_TRY(checkFusionPlan(graph, opsets, fusion));
    for (std::size_t b = 0; b < fusion.blocks.size(); ++b) {
        const FusionBlock &block = fusion.blocks[b];
        const auto ends = [&](const auto &edges) {
            return std::ranges::all_of(edges, [&](const auto &edge) {
                return graph.contains(edge.producer) && graph.contains(edge.consumer);
            });
        };
        if (!ends(block.borders) || !ends(block.decisions) || !holds(graph, block.indexChanges) ||
            !holds(graph, block.placed))
            return broken("fusion plan",
                          "block " + std::to_string(b) +
                              " refers to nodes or tensors that are not in the graph");
    }
    return {};
}

} // namespace

Result<void> checkPlan(const Plan &plan)
{
    for (const auto &partition : {plan.partition, plan.baselinePartition})
        if (partition)
            GL_TRY(checkPartition(plan.graph, *partition));
    const Opsets opsets = opsetsOf(*plan.model);
    for (const auto &[fusion, graph] :
         {std::pair(plan.fusion, &plan.graph), {plan.baselineFusion, &plan.original}})
        if (fusion)
            GL_TRY(checkFusion(*graph, opsets, *fusion));
    if (plan.layouts)
        GL_TRY(checkLayouts(plan));
    if (plan.rewrite)
        GL_TRY(checkRewriting(*plan.rewrite));
    if (plan.memory)
        GL_TRY(checkMemory(*plan.memory));
    if (const MemorySchedule *schedule = scheduleOf(plan))
        GL_TRY(checkSchedule(plan.graph, *schedule));
    if (plan.training && !holds(plan.model->graph, plan.training->variables))
        return broken("training record", "it refers to weights that are not in the model");
    return {};
}

} // namespace graphloom
