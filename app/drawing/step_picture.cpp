// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/step_picture.h"

#include "engine/ops/derive/infer.h"

namespace graphloom {

namespace {

constexpr std::size_t mostBeside = 30;

/// Adds the predecessors and successors of the nodes.
void addNeighbours(std::set<NodeId> &beside, const Graph &graph, const std::vector<NodeId> &nodes)
{
    const auto add = [&](NodeId id) {
        if (beside.size() < mostBeside)
            beside.insert(id);
    };
    for (const NodeId id : nodes) {
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            if (const NodeId producer = graph.producer(tensor); producer.valid())
                add(producer);
        });
        for (const TensorId tensor : graph.node(id).outputs)
            if (tensor.valid())
                for (const Use &use : graph.uses(tensor))
                    add(use.node);
    }
}

DrawingPointer drawAround(const std::shared_ptr<const Model> &model, const Graph &graph,
                          const std::vector<NodeId> &changed, const std::set<NodeId> &beside,
                          std::stop_token stop)
{
    ViewOptions options;
    options.grouping = Grouping::None;
    options.columns = false;
    options.only.insert(changed.begin(), changed.end());
    for (const NodeId id : beside)
        if (graph.contains(id))
            options.only.insert(id);
    if (options.only.empty())
        return nullptr;
    auto plan = std::make_shared<Plan>();
    plan->model = model;
    plan->graph = graph;
    auto snapshot = std::make_shared<Snapshot>();
    const std::vector<NodeId> nodes(options.only.begin(), options.only.end());
    snapshot->facts = factsOfNodes(graph, opsetsOf(*model), nodes);
    snapshot->plan = std::move(plan);
    return draw(std::move(snapshot), std::move(options), stop);
}

std::vector<Item> itemsOf(const std::vector<NodeId> &nodes)
{
    std::vector<Item> items;
    for (const NodeId id : nodes)
        items.push_back(Item::of(id));
    return items;
}

} // namespace

StepPicture pictureOf(const std::shared_ptr<const Model> &model, const RewriteStep &step,
                      std::stop_token stop)
{
    std::set<NodeId> beside;
    addNeighbours(beside, step.before, step.removed);
    addNeighbours(beside, step.after, step.added);
    return {drawAround(model, step.before, step.removed, beside, stop),
            drawAround(model, step.after, step.added, beside, stop), itemsOf(step.removed),
            itemsOf(step.added)};
}

} // namespace graphloom
