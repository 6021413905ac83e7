// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/fusion_plan.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

std::string_view nameOf(BlockBorder::Cause cause)
{
    constexpr std::string_view names[] = {"mapping types", "constraint", "cost",
                                          "cycle",         "opaque",     "lock",
                                          "taken",         "subgraph",   "generator"};
    return names[std::size_t(cause)];
}

BlockInterface interfaceOf(const Graph &graph, const std::vector<NodeId> &nodes)
{
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    BlockInterface result;
    std::unordered_set<TensorId> seen;
    for (const NodeId id : nodes) {
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = graph.producer(tensor);
            const bool inside = producer.valid() && members.contains(producer);
            if (!inside && !graph.tensor(tensor).constant && seen.insert(tensor).second)
                result.inputs.push_back(tensor);
        });
        for (const TensorId tensor : graph.node(id).outputs) {
            if (!tensor.valid())
                continue;
            const auto isRead = [&](const Use &use) { return !members.contains(use.node); };
            if (graph.isOutput(tensor) || std::ranges::any_of(graph.uses(tensor), isRead))
                result.outputs.push_back(tensor);
        }
    }
    return result;
}

namespace {

bool isWithin(const Partition &partition, const std::vector<NodeId> &nodes)
{
    const auto subgraphOf = [&](NodeId id) {
        return id.index < partition.subgraphOf.size() ? partition.subgraphOf[id.index]
                                                      : Partition::none;
    };
    return std::ranges::all_of(nodes, [&](NodeId id) {
        return subgraphOf(id) != Partition::none && subgraphOf(id) == subgraphOf(nodes.front());
    });
}

} // namespace

Result<void> checkFusionPlan(const Graph &graph, const Opsets &opsets, const FusionPlan &plan)
{
    GL_TRY(checkPartition(graph, plan.partition));
    if (plan.blocks.size() != plan.partition.subgraphs.size())
        return fail(Error::Kind::Fault,
                    "the fusion plan describes " + std::to_string(plan.blocks.size()) + " of " +
                        std::to_string(plan.partition.subgraphs.size()) + " blocks");
    for (std::size_t b = 0; b < plan.blocks.size(); ++b) {
        const std::vector<NodeId> &nodes = plan.partition.subgraphs[b].nodes;
        const std::string where = "block " + std::to_string(b);
        const BlockInterface crossing = interfaceOf(graph, nodes);
        if (crossing.inputs != plan.blocks[b].inputs || crossing.outputs != plan.blocks[b].outputs)
            return fail(Error::Kind::Fault,
                        "its inputs and outputs are not the tensors that cross its border", where);
        if (plan.within && !isWithin(*plan.within, nodes))
            return fail(Error::Kind::Fault, "it crosses the border of a subgraph", where);
        if (nodes.size() == 1)
            continue;
        for (const NodeId id : nodes) {
            GL_TRY_CONST(description, describe(graph, id, opsets));
            if (description->isOpaque())
                return fail(
                    Error::Kind::Fault,
                    graph.node(id).label() +
                        " is opaque and must be in a block of its own: " + description->opaque,
                    where);
        }
    }
    return {};
}

} // namespace graphloom
