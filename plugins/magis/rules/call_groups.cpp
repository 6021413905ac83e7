// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/rules/call_groups.h"

#include "engine/ops/describe/stage_facts.h"
#include "plugins/magis/rules/merge_members.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

void sortByPosition(const Graph &graph, std::vector<NodeId> &calls)
{
    std::ranges::sort(calls, {}, [&](NodeId id) { return graph.position(id); });
}

/// Takes the first call, then each that depends on none taken before, in the graph's order.
std::vector<NodeId> independentOf(const Graph &graph, const std::vector<NodeId> &calls)
{
    std::vector<NodeId> taken{calls.front()};
    std::vector<bool> depends(graph.nodeBound(), false); // on a call taken
    depends[calls.front().index] = true;
    const auto order = graph.order();
    auto next = calls.begin() + 1;
    for (auto at = graph.position(calls.front()) + 1; next != calls.end(); ++at) {
        const NodeId id = order[at];
        bool after = false;
        forEachRead(graph.node(id), [&](TensorId input, std::uint32_t) {
            const NodeId producer = graph.producer(input);
            after = after || (producer.valid() && depends[producer.index]);
        });
        depends[id.index] = after;
        if (id != *next)
            continue;
        if (!after) {
            taken.push_back(id);
            depends[id.index] = true;
        }
        ++next;
    }
    return taken;
}

/// Groups calls by the shapes of their operands.
std::vector<std::vector<NodeId>> equalShapes(const Graph &graph, const std::vector<NodeId> &calls)
{
    std::vector<std::pair<std::vector<Shape>, std::vector<NodeId>>> groups;
    for (const NodeId id : calls) {
        std::vector<Shape> shapes;
        for (const TensorId input : graph.node(id).inputs)
            shapes.push_back(input.valid() ? graph.tensor(input).shape.value_or(Shape{}) : Shape{});
        const auto found = std::ranges::find(groups, shapes, [](const auto &g) { return g.first; });
        if (found != groups.end())
            found->second.push_back(id);
        else
            groups.push_back({std::move(shapes), {id}});
    }
    std::vector<std::vector<NodeId>> result;
    for (auto &group : groups)
        if (group.second.size() > 1)
            result.push_back(std::move(group.second));
    return result;
}

} // namespace

std::vector<std::vector<NodeId>> independentGroups(const Graph &graph, std::vector<NodeId> calls)
{
    sortByPosition(graph, calls);
    std::vector<std::vector<NodeId>> groups;
    while (calls.size() > 1) {
        std::vector<NodeId> group = independentOf(graph, calls);
        std::erase_if(calls,
                      [&](NodeId id) { return std::ranges::find(group, id) != group.end(); });
        if (group.size() > 1)
            groups.push_back(std::move(group));
    }
    return groups;
}

bool areIndependent(const Graph &graph, const std::vector<NodeId> &calls)
{
    std::vector<NodeId> sorted = calls;
    sortByPosition(graph, sorted);
    return independentOf(graph, sorted).size() == sorted.size();
}

std::vector<std::vector<NodeId>> alikeGroups(const Graph &graph, const std::vector<NodeId> &calls)
{
    std::vector<std::vector<NodeId>> groups;
    for (const NodeId id : calls) {
        const auto found = std::ranges::find_if(
            groups, [&](const auto &group) { return areAlike(graph, group.front(), id); });
        if (found == groups.end())
            groups.push_back({id});
        else if (found->back() != id)
            found->push_back(id);
    }
    std::erase_if(groups, [](const auto &group) { return group.size() < 2; });
    return groups;
}

std::vector<CallMerge> mergesOf(const Graph &graph, const Opsets &opsets,
                                const std::vector<NodeId> &calls, Merging merging, Joining joining)
{
    if (auto whole = mergeOf(graph, opsets, calls, merging, joining))
        return {*std::move(whole)};
    std::vector<CallMerge> merges;
    const auto groups = equalShapes(graph, calls);
    if (groups.size() == 1 && groups.front().size() == calls.size())
        return {};
    for (const auto &group : groups)
        if (auto merge = mergeOf(graph, opsets, group, merging, joining))
            merges.push_back(*std::move(merge));
    return merges;
}

std::vector<bool> contractionsOf(const Graph &graph, const Opsets &opsets)
{
    std::vector<bool> result(graph.nodeBound(), false);
    for (const NodeId id : graph.order()) {
        if (graph.node(id).inputs.size() < 2)
            continue;
        const auto description = describe(graph, id, opsets);
        result[id.index] = description && !description->isOpaque() &&
                           std::ranges::any_of(description->stages,
                                               [](const Stage &s) { return sumsProducts(s); });
    }
    return result;
}

} // namespace graphloom::magis
