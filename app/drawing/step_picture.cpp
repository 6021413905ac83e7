// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/step_picture.h"

#include "engine/ops/derive/infer.h"

namespace graphloom {

namespace {

/// Draws a part of a graph; `changed` gets the items of the nodes `ids`.
DrawingPointer draw(const std::shared_ptr<const Model> &model, const GraphPart &part,
                    const std::vector<NodeId> &ids, std::vector<Item> &changed,
                    std::stop_token stop)
{
    if (part.nodes.empty())
        return nullptr;
    auto made = graphOf(part);
    if (!made) // it is of a damaged file
        return nullptr;
    for (const NodeId id : ids)
        changed.push_back(Item::of(made->nodes.at(id)));
    ViewOptions options;
    options.grouping = Grouping::None;
    options.columns = false;
    for (const auto &[id, here] : made->nodes)
        options.only.insert(here);
    const std::vector<NodeId> nodes(options.only.begin(), options.only.end());
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->facts = factsOfNodes(made->graph, opsetsOf(*model), nodes);
    auto plan = std::make_shared<Plan>();
    plan->model = model;
    plan->graph = std::move(made->graph);
    snapshot->plan = std::move(plan);
    return draw(std::move(snapshot), std::move(options), stop);
}

} // namespace

StepPicture pictureOf(const std::shared_ptr<const Model> &model, const RewriteStep &step,
                      std::stop_token stop)
{
    StepPicture picture;
    picture.before = draw(model, step.before, step.removed, picture.removed, stop);
    picture.after = draw(model, step.after, step.added, picture.added, stop);
    return picture;
}

} // namespace graphloom
