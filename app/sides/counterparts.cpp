// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/sides/counterparts.h"

#include <algorithm>

namespace graphloom {

namespace {

void relateNodes(Counterparts &made)
{
    const GraphComparison &graphs = made.comparison.graphs;
    made.inNow.resize(graphs.before.nodeBound());
    made.inBefore.resize(graphs.now.nodeBound());
    const auto relate = [&](NodeId before, NodeId now) {
        made.inNow[before.index].push_back(now);
        made.inBefore[now.index].push_back(before);
    };
    for (const NodeDifference &difference : graphs.nodes) {
        if (difference.before.valid() && difference.now.valid())
            relate(difference.before, difference.now);
        for (const NodeId related : difference.related)
            if (difference.now.valid())
                relate(related, difference.now);
            else
                relate(difference.before, related);
    }
    const auto sort = [](std::vector<std::vector<NodeId>> &lists, const Graph &graph) {
        for (std::vector<NodeId> &list : lists) {
            std::ranges::sort(list, {}, [&](NodeId id) { return graph.position(id); });
            const auto rest = std::ranges::unique(list);
            list.erase(rest.begin(), rest.end());
        }
    };
    sort(made.inNow, graphs.now);
    sort(made.inBefore, graphs.before);
}

} // namespace

Item sameGroupIn(const Snapshot &there, const Snapshot &here, const Item &group)
{
    if (group.kind != Item::Kind::Module && group.kind != Item::Kind::Fission)
        return {};
    return there.forest(groupingOf(group)) && here.contains(group) ? sameItemIn(there, here, group)
                                                                   : Item();
}

Item Counterparts::sameGroup(Side side, const Item &group) const
{
    return sameGroupIn(snapshot(otherSide(side)), snapshot(side), group);
}

std::vector<Item> Counterparts::of(Side side, const Item &item) const
{
    const Snapshot &here = snapshot(side);
    std::vector<Item> items;
    if (!item || item.kind == Item::Kind::Original || !here.contains(item))
        return items;
    const auto addNodes = [&](NodeId id) {
        for (const NodeId other : (side == Side::Before ? inNow : inBefore)[id.index])
            items.push_back(Item::of(other));
    };
    if (item.kind == Item::Kind::Node) {
        addNodes(item.node());
    } else if (item.isTensor()) {
        const Alignment &alignment = comparison.graphs.alignment;
        const TensorId id =
            (side == Side::Before ? alignment.tensorInNow : alignment.tensorInBefore)[item.index];
        const Item same{item.kind, id.index};
        if (id.valid() && snapshot(otherSide(side)).contains(same))
            items.push_back(same);
        else if (const Item writer = here.standInOf(item); writer.kind == Item::Kind::Node)
            addNodes(writer.node());
    } else if (const Item same = sameGroup(side, item)) {
        items.push_back(same);
    } else {
        for (const NodeId id : here.nodesOf(item))
            addNodes(id);
    }
    return items;
}

std::vector<Item> Counterparts::of(Side side, std::span<const Item> items) const
{
    std::vector<Item> all;
    std::set<Item> seen;
    for (auto item = items.rbegin(); item != items.rend(); ++item) {
        const std::vector<Item> own = of(side, *item);
        for (auto found = own.rbegin(); found != own.rend(); ++found)
            if (seen.insert(*found).second)
                all.push_back(*found);
    }
    std::ranges::reverse(all);
    return all;
}

std::vector<Marks> Counterparts::marksOf(Side side, const Drawing &drawing) const
{
    const Difference alone = side == Side::Before ? Difference::Removed : Difference::Added;
    struct Count {
        std::size_t alone = 0, changed = 0, all = 0;
    };
    std::vector<Count> counts(drawing.nodes.size()); // by drawn node
    for (const NodeDifference &difference : comparison.graphs.nodes) {
        const NodeId id = side == Side::Before ? difference.before : difference.now;
        const std::uint32_t node =
            id.valid() ? drawing.graph.nodeOf(Item::of(id)) : VisibleGraph::none;
        if (node == VisibleGraph::none)
            continue;
        Count &count = counts[node];
        ++count.all;
        count.alone += difference.kind == alone ? 1 : 0;
        count.changed += difference.kind == Difference::Changed ? 1 : 0;
    }
    std::vector<Marks> marks{
        {side == Side::Before ? MatchMeaning::Removed : MatchMeaning::Added, {}, {}},
        {MatchMeaning::Changed, {}, {}}};
    for (std::size_t v = 0; v < counts.size(); ++v)
        if (counts[v].alone + counts[v].changed > 0)
            marks[counts[v].alone == counts[v].all ? 0 : 1].items.push_back(
                drawing.graph.nodes[v].item);
    return marks;
}

std::optional<PlanMetric::Side> Counterparts::figure(Side side, std::string_view key) const
{
    const auto found = std::ranges::find(comparison.metrics, key, &PlanMetric::key);
    if (found == comparison.metrics.end())
        return std::nullopt;
    return side == Side::Before ? found->before : found->now;
}

CounterpartsPointer counterpartsOf(const SnapshotPointer &before, const SnapshotPointer &now,
                                   const PlanComparing &options)
{
    auto made = std::make_shared<Counterparts>();
    made->before = before;
    made->now = now;
    made->comparison = compare(*before->plan, *now->plan, options);
    if (options.stop.stop_requested())
        return nullptr;
    relateNodes(*made);
    return made;
}

} // namespace graphloom
