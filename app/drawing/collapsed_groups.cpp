// SPDX-License-Identifier: GPL-3.0-or-later
// Chooses the groups that are collapsed in a drawing.
#include "app/drawing/visible_graph.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace graphloom {

namespace {

constexpr Grouping allGroupings[] = {Grouping::Blocks, Grouping::Subgraphs, Grouping::Modules,
                                     Grouping::Fissions};

/// Tells whether the nodes form few connected components, so that an order is visible. The updates
/// of a training step are independent of each other.
bool hangTogether(const Graph &graph, const std::vector<NodeId> &nodes)
{
    constexpr std::size_t most = 16;
    std::unordered_map<NodeId, std::size_t> places;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        places.emplace(nodes[i], i);
    std::vector<std::size_t> leader(nodes.size());
    std::iota(leader.begin(), leader.end(), std::size_t{0});
    const auto leaderOf = [&](std::size_t i) {
        while (leader[i] != i)
            i = leader[i] = leader[leader[i]];
        return i;
    };
    std::size_t pieces = nodes.size();
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const NodeId reader : graph.successors(nodes[i]))
            if (const auto other = places.find(reader); other != places.end())
                if (const std::size_t a = leaderOf(i), b = leaderOf(other->second); a != b) {
                    leader[a] = b;
                    --pieces;
                }
    return pieces <= most;
}

/// Opens groups level by level, the largest of a level last, until more nodes would be drawn than
/// fit; the others stay collapsed, as do groups without an order inside.
void closeDeepest(const Snapshot &snapshot, const GroupForest &forest, Grouping grouping,
                  std::size_t most, std::set<Item> &collapsed)
{
    const auto &groups = forest.groups;
    const auto drawnInside = [&](const GroupForest::Group &group) {
        std::size_t count = group.nodes.size() + group.children.size();
        for (const std::uint32_t child : group.children)
            count -= groups[child].nodes.size();
        return count;
    };
    std::vector<std::uint32_t> level;
    std::size_t drawn = snapshot.graph().nodeCount();
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
        collapsed.insert(groupItem(grouping, g));
        if (groups[g].parent == GroupForest::none) {
            drawn -= groups[g].nodes.size() - 1;
            level.push_back(g);
        }
    }
    while (!level.empty()) {
        std::ranges::stable_sort(level, {},
                                 [&](std::uint32_t g) { return drawnInside(groups[g]); });
        std::vector<std::uint32_t> next;
        for (const std::uint32_t g : level) {
            const std::size_t more = drawnInside(groups[g]) - 1;
            if (drawn + more > most)
                break;
            if (!hangTogether(snapshot.graph(), groups[g].nodes))
                continue;
            drawn += more;
            collapsed.erase(groupItem(grouping, g));
            next.insert(next.end(), groups[g].children.begin(), groups[g].children.end());
        }
        level = std::move(next);
    }
}

} // namespace

std::set<Item> allGroups(const Snapshot &snapshot, std::size_t leastNodes)
{
    std::set<Item> groups;
    for (const Grouping grouping : allGroupings)
        for (std::uint32_t i = 0; i < snapshot.count(grouping); ++i)
            if (const Item group = groupItem(grouping, i);
                snapshot.nodesOf(group).size() >= leastNodes)
                groups.insert(group);
    return groups;
}

std::set<Item> initiallyCollapsed(const Snapshot &snapshot, std::size_t most)
{
    const std::size_t nodes = snapshot.graph().nodeCount();
    if (nodes <= most)
        return {};
    std::set<Item> collapsed;
    for (const Grouping grouping : allGroupings) {
        if (const GroupForest *forest = snapshot.forest(grouping)) {
            closeDeepest(snapshot, *forest, grouping, most, collapsed);
            continue;
        }
        for (std::uint32_t i = 0; i < snapshot.count(grouping); ++i)
            if (const Item group = groupItem(grouping, i); snapshot.nodesOf(group).size() > 1)
                collapsed.insert(group);
    }
    return collapsed;
}

std::set<Item> groupsBelow(const Snapshot &snapshot, Grouping grouping, std::uint32_t depth)
{
    std::set<Item> result;
    const GroupForest *forest = snapshot.forest(grouping);
    for (std::uint32_t i = 0; i < snapshot.count(grouping); ++i)
        if ((forest ? forest->groups[i].depth : 0) >= depth)
            result.insert(groupItem(grouping, i));
    return result;
}

std::set<Item> groupsBeside(const Snapshot &snapshot, Grouping grouping, const Item &item)
{
    std::set<Item> result = groupsBelow(snapshot, grouping, 0);
    Item group = item.isGroup()                  ? item
                 : item.kind == Item::Kind::Node ? snapshot.groupOf(item.node(), grouping)
                                                 : Item();
    for (; group; group = snapshot.parentOf(group))
        result.erase(group);
    return result;
}

} // namespace graphloom
