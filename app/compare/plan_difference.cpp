// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/compare/plan_difference.h"

#include "app/common/format.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Computes the facts of both graphs' nodes, in each graph separately, as a node that reads a
/// removed tensor cannot be described in the joined graph.
std::shared_ptr<const GraphFacts> factsOfBoth(const PlanDifference &made, std::stop_token stop)
{
    const GraphComparison &graphs = made.graphs();
    const auto before = graphFactsOf(graphs.before, opsetsOf(*made.before->model), stop);
    const auto now = graphFactsOf(graphs.now, opsetsOf(*made.now->model), stop);
    if (!before || !now)
        return nullptr;
    auto facts = std::make_shared<GraphFacts>();
    facts->graphHash = made.united.graph.hash();
    facts->nodes.resize(made.united.graph.nodeBound());
    for (const NodeDifference &difference : graphs.nodes) {
        NodeFacts node =
            difference.now.valid() ? now->of(difference.now) : before->of(difference.before);
        if (difference.kind != Difference::Same)
            node.op = fromUtf8(signOf(difference.kind)) + ' ' + node.op;
        facts->nodes[made.united.of(difference).index] = std::move(node);
    }
    return facts;
}

std::set<NodeId> differingNodes(const PlanDifference &made)
{
    const Graph &graph = made.united.graph;
    std::set<NodeId> nodes, beside;
    for (const NodeDifference &difference : made.graphs().nodes)
        if (difference.kind != Difference::Same)
            nodes.insert(made.united.of(difference));
    constexpr std::size_t mostBeside =
        4; // neighbours of a tensor that many nodes read, such as a mask
    for (const NodeId id : nodes) {
        const auto predecessors = graph.predecessors(id), successors = graph.successors(id);
        for (const auto *list : {&predecessors, &successors})
            for (std::size_t i = 0; i < std::min(mostBeside, list->size()); ++i)
                beside.insert((*list)[i]);
    }
    nodes.merge(beside);
    return nodes;
}

} // namespace

std::vector<Item> PlanDifference::itemsOf(Difference kind) const
{
    std::vector<Item> items;
    for (const NodeDifference &difference : graphs().nodes)
        if (difference.kind == kind)
            items.push_back(itemOf(difference));
    return items;
}

std::vector<Item> PlanDifference::originalsOf(const Item &item) const
{
    const NodeDifference &difference = differenceOf(item);
    std::vector<Item> items;
    const auto add = [&](NodeId id) {
        const NodeId kept = graphs().alignment.now(id);
        items.push_back(Item::of(kept.valid() ? kept : united.removed[id.index]));
    };
    if (!difference.now.valid())
        return {item};
    if (!comparison.sameModel) {
        for (const NodeId id : difference.related)
            add(id);
        return items;
    }
    const auto &own = graphs().now.node(difference.now).origins;
    for (const NodeId id : graphs().before.order())
        if (std::ranges::any_of(graphs().before.node(id).origins, [&](NodeId origin) {
                return std::ranges::binary_search(own, origin);
            }))
            add(id);
    return items;
}

std::vector<Item> PlanDifference::successorsOf(const Item &item) const
{
    const NodeDifference &difference = differenceOf(item);
    std::vector<Item> items;
    if (!difference.before.valid())
        return {item};
    if (!comparison.sameModel) {
        for (const NodeId id : difference.related)
            items.push_back(Item::of(id));
        return items;
    }
    const auto &own = graphs().before.node(difference.before).origins;
    for (const NodeId id : graphs().now.order())
        if (std::ranges::any_of(graphs().now.node(id).origins, [&](NodeId origin) {
                return std::ranges::binary_search(own, origin);
            }))
            items.push_back(Item::of(id));
    return items;
}

Result<PlanDifferencePointer>
differenceOf(const ComparedPlan &before, const ComparedPlan &now, std::stop_token stop,
             const std::function<void(double, std::string_view)> &progress)
{
    auto made = std::make_shared<PlanDifference>();
    made->before = before.plan;
    made->now = now.plan;
    made->nameBefore = before.name;
    made->nameNow = now.name;
    made->measuredBefore = before.measured;
    progress(0.05, "aligning the graphs");
    made->comparison = compare(*before.plan, *now.plan, {before.measured, now.measured, stop});
    made->origins = originMapOf(*now.plan);
    GL_TRY_RESULT(united, unionOf(made->graphs()));
    made->united = *std::move(united);
    progress(0.5, "computing the layouts");
    auto plan = std::make_shared<Plan>();
    plan->model = now.plan->model;
    plan->graph = made->united.graph;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->facts = factsOfBoth(*made, stop);
    snapshot->plan = std::move(plan);
    if (!snapshot->facts || stop.stop_requested())
        return PlanDifferencePointer();
    ViewOptions options;
    options.grouping = Grouping::None;
    made->all = draw(snapshot, options, stop);
    options.only = differingNodes(*made);
    if (!options.only.empty())
        made->differing = draw(snapshot, options, stop);
    progress(0.9, "comparing memory");
    made->earlier = snapshotOf(before.plan, nullptr, stop);
    if (made->earlier)
        made->timeline = timelineOf(*made->earlier, stop);
    if (stop.stop_requested() || !made->all || !made->earlier)
        return PlanDifferencePointer();
    return made;
}

} // namespace graphloom
