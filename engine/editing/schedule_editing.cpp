// SPDX-License-Identifier: Apache-2.0
#include "engine/editing/schedule_editing.h"

#include <algorithm>

namespace graphloom {

namespace {

tl::unexpected<Error> refuseMove(std::string reason, std::string where,
                                 std::initializer_list<NodeId> cause)
{
    auto refusal = fail(Error::Kind::Usage, std::move(reason), std::move(where));
    for (const NodeId id : cause)
        refusal.value().nodes.push_back(id.index);
    return refusal;
}

/// Returns the first edge from one list of nodes to another; its ends are invalid if there is none.
std::pair<NodeId, NodeId> edgeBetween(const Graph &graph, const std::vector<NodeId> &from,
                                      const std::vector<NodeId> &to)
{
    for (const NodeId id : from)
        for (const NodeId reader : graph.successors(id))
            if (std::ranges::count(to, reader))
                return {id, reader};
    return {};
}

/// Returns the same partition for a graph whose order has changed.
std::shared_ptr<const Partition> inOrder(const std::shared_ptr<const Partition> &partition,
                                         const Graph &graph)
{
    if (!partition)
        return nullptr;
    auto sorted = std::make_shared<Partition>(*partition);
    for (Subgraph &subgraph : sorted->subgraphs)
        std::ranges::sort(subgraph.nodes, {}, [&](NodeId id) { return graph.position(id); });
    return sorted;
}

/// Swaps two blocks, and updates everything that refers to blocks by number.
void swapBlocks(Plan &plan, std::size_t block, std::shared_ptr<const Partition> within)
{
    const auto swapAt = [&](auto &list) {
        if (block + 1 < list.size())
            std::swap(list[block], list[block + 1]);
    };
    const KernelPlan *kernels = kernelsOf(plan);
    auto fusion = std::make_shared<FusionPlan>(*plan.fusion);
    swapAt(fusion->partition.subgraphs);
    swapAt(fusion->blocks);
    fusion->partition.index(plan.graph);
    fusion->within = std::move(within);
    if (plan.layouts) {
        auto layouts = std::make_shared<LayoutPlan>(*plan.layouts);
        swapAt(layouts->blocks);
        plan.layouts = std::move(layouts);
    }
    if (kernels) {
        auto moved = std::make_shared<KernelPlan>(*kernels);
        moved->blocks.resize(moved->blocks.empty() ? 0 : fusion->blocks.size());
        moved->algorithms.resize(moved->algorithms.empty() ? 0 : fusion->blocks.size());
        swapAt(moved->blocks);
        swapAt(moved->algorithms);
        moved->fusion = fusion;
        plan.kernels = std::move(moved);
    }
    plan.fusion = std::move(fusion);
}

} // namespace

Result<Plan> withStepMoved(Plan plan, NodeId node, Direction direction)
{
    const bool earlier = direction == Direction::Earlier;
    const std::size_t at = plan.fusion ? plan.fusion->blockOf(node) : plan.graph.position(node);
    const std::size_t count = plan.fusion ? plan.fusion->blocks.size() : plan.graph.nodeCount();
    if (earlier ? at == 0 : at + 1 == count)
        return refuseMove(earlier ? "it is already the first step" : "it is already the last step",
                          plan.graph.node(node).label(), {});
    const std::size_t first = earlier ? at - 1 : at;
    const auto nodesAt = [&](std::size_t step) {
        return plan.fusion ? plan.fusion->partition.subgraphs[step].nodes
                           : std::vector{plan.graph.order()[step]};
    };
    const auto [producer, reader] = edgeBetween(plan.graph, nodesAt(first), nodesAt(first + 1));
    if (producer.valid())
        return refuseMove("it reads an output of " + plan.graph.node(producer).label(),
                          plan.graph.node(reader).label(), {producer, reader});
    std::vector<NodeId> order;
    for (std::size_t step = 0; step < count; ++step) {
        const std::size_t from = step == first ? first + 1 : step == first + 1 ? first : step;
        for (const NodeId id : nodesAt(from))
            order.push_back(id);
    }
    GraphEditor editor(plan.graph);
    editor.setOrder(std::move(order));
    GL_TRY_RESULT(graph, std::move(editor).finish());
    plan.graph = *std::move(graph);
    const auto before = std::exchange(plan.partition, inOrder(plan.partition, plan.graph));
    plan.baselinePartition = inOrder(plan.baselinePartition, plan.graph);
    if (plan.fusion) {
        const auto &within = plan.fusion->within;
        swapBlocks(plan, first, within == before ? plan.partition : inOrder(within, plan.graph));
    }
    plan.memory = nullptr;
    plan.search = nullptr;
    return plan;
}

} // namespace graphloom
