// SPDX-License-Identifier: Apache-2.0
#include "engine/pass/graph_change.h"

#include "engine/pass/plan_parts.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Calls visit(name, part, part of the other plan) for each part of a plan that refers to nodes,
/// tensors or steps of its graph.
template <class One, class Other, class Visit>
void forEachPartOfGraph(One &plan, Other &other, Visit visit)
{
    using namespace plan_parts;
    visit(partition, plan.partition, other.partition);
    visit(partition, plan.baselinePartition, other.baselinePartition);
    visit(fusion, plan.fusion, other.fusion);
    visit(layouts, plan.layouts, other.layouts);
    visit(kernels, plan.kernels, other.kernels);
    visit(memory, plan.memory, other.memory);
    visit(schedule, plan.schedule, other.schedule);
}

void addOnce(std::vector<std::string_view> &list, std::string_view what)
{
    if (std::ranges::find(list, what) == list.end())
        list.push_back(what);
}

} // namespace

bool isSameGraph(const Graph &one, const Graph &other)
{
    const auto isSameNode = [&](NodeId id) {
        const Node &here = one.node(id), &there = other.node(id);
        return &here == &there ||
               (here.op == there.op && here.inputs == there.inputs &&
                here.outputs == there.outputs && here.captures == there.captures);
    };
    return one.hash() == other.hash() && std::ranges::equal(one.order(), other.order()) &&
           std::ranges::equal(one.inputs(), other.inputs()) &&
           std::ranges::equal(one.outputs(), other.outputs()) &&
           std::ranges::all_of(one.order(), isSameNode);
}

std::vector<std::string_view> partsOfGraph(const Plan &plan)
{
    std::vector<std::string_view> parts;
    forEachPartOfGraph(plan, plan, [&](std::string_view what, const auto &part, const auto &) {
        if (part)
            addOnce(parts, what);
    });
    return parts;
}

std::vector<std::string_view> dropOutdated(Plan &plan, const Plan &before)
{
    std::vector<std::string_view> dropped;
    if (partsOfGraph(before).empty() || isSameGraph(plan.graph, before.graph))
        return dropped;
    forEachPartOfGraph(plan, before, [&](std::string_view what, auto &part, const auto &shared) {
        if (!part || part != shared)
            return;
        part = nullptr;
        addOnce(dropped, what);
    });
    return dropped;
}

std::string listed(const std::vector<std::string_view> &parts)
{
    std::string list;
    for (const std::string_view part : parts)
        list.append(list.empty() ? "" : ", ").append(part);
    return list;
}

std::string lossBy(const Pass &pass, const Settings &settings, const Plan &plan)
{
    const auto created = pass.creates(settings);
    std::vector<std::string_view> replaced, discarded;
    for (const std::string_view part : partsOfGraph(plan))
        if (std::ranges::find(created, part) != created.end())
            replaced.push_back(part);
        else if (!pass.rules().empty())
            discarded.push_back(part);
    std::string loss;
    if (!replaced.empty())
        loss = "replaces these parts of the plan: " + listed(replaced);
    if (!discarded.empty())
        loss += std::string(loss.empty() ? "" : "; it ") +
                "may change the graph, which discards these parts of the plan: " +
                listed(discarded);
    return loss.empty() ? loss : std::string(pass.name()) + " " + loss;
}

} // namespace graphloom
