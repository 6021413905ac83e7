// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lanes/lane_items.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Returns the nodes of an item: of a group, or the one that computes a tensor.
std::vector<NodeId> nodesOf(const Snapshot &snapshot, const Item &item)
{
    if (!snapshot.contains(item))
        return {};
    if (item.isGroup())
        return snapshot.nodesOf(item);
    const Item drawn = snapshot.standInOf(item);
    return drawn.kind == Item::Kind::Node ? std::vector{drawn.node()} : std::vector<NodeId>();
}

/// Returns the blocks of some nodes, or the nodes themselves without fusion, each once.
std::vector<Item> kernelsOf(const Snapshot &snapshot, const std::set<NodeId> &nodes)
{
    std::vector<Item> items;
    for (const NodeId id : nodes) {
        const Item block = snapshot.groupOf(id, Grouping::Blocks);
        const Item item = block ? block : Item::of(id);
        if (std::ranges::find(items, item) == items.end())
            items.push_back(item);
    }
    return items;
}

} // namespace

std::vector<Item> itemsOf(const Lanes &lanes, const Lanes::Run &run, std::uint32_t step,
                          const Snapshot &snapshot)
{
    if (run.kind == Lanes::Run::Kind::Plan) {
        const Item item = lanes.of->itemOf(step);
        return item ? std::vector{item} : std::vector<Item>();
    }
    std::set<NodeId> nodes;
    for (const NodeId id : run.steps[step].nodes) {
        if (run.kind != Lanes::Run::Kind::Original)
            nodes.insert(id);
        else if (snapshot.origins && id.index < snapshot.origins->fates.size())
            nodes.insert(snapshot.origins->fates[id.index].nodes.begin(),
                         snapshot.origins->fates[id.index].nodes.end());
    }
    return kernelsOf(snapshot, nodes);
}

std::vector<bool> stepsOf(const Lanes::Run &run, const Snapshot &snapshot,
                          std::span<const Item> items)
{
    std::set<NodeId> nodes;
    for (const Item &item : items)
        for (const NodeId id : nodesOf(snapshot, item)) {
            if (run.kind != Lanes::Run::Kind::Original)
                nodes.insert(id);
            else if (snapshot.origins && id.index < snapshot.origins->originals.size())
                nodes.insert(snapshot.origins->originals[id.index].begin(),
                             snapshot.origins->originals[id.index].end());
        }
    std::vector<bool> steps;
    for (const Lanes::Step &step : run.steps)
        steps.push_back(
            std::ranges::any_of(step.nodes, [&](NodeId id) { return nodes.contains(id); }));
    return steps;
}

} // namespace graphloom
