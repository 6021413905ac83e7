// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/visible_graph.h"

#include "app/layout/adjacency.h"
#include "app/models/format.h"

#include <algorithm>
#include <optional>

namespace graphloom {

namespace {

constexpr int longestTitle = 30, longestSubtitle = 34, longestNested = 52;

class Builder {
public:
    Builder(const Snapshot &snapshot, const ViewOptions &options)
        : m_snapshot(snapshot), m_options(options),
          m_placeOf(snapshot.graph().nodeBound(), VisibleGraph::none)
    {
        m_result.grouping = drawnGrouping(snapshot, options.grouping);
        m_result.collapsedInto.assign(snapshot.graph().nodeBound(), VisibleGraph::none);
    }

    VisibleGraph build()
    {
        const Graph &graph = m_snapshot.graph();
        for (const TensorId id : graph.inputs())
            if (isNear(id))
                addTerminal(Item::input(id), formatType(graph.tensor(id)));
        for (const TensorId id : graph.captured())
            if (isNear(id))
                addTerminal(Item::captured(id),
                            QStringLiteral("captured · ") + formatType(graph.tensor(id)));
        for (const NodeId id : graph.order())
            if (m_options.only.empty() || m_options.only.contains(id))
                addNode(id);
        for (const TensorId id : graph.outputs())
            if (isNear(id))
                addTerminal(Item::output(id), formatType(graph.tensor(id)));

        for (const TensorId id : graph.inputs())
            addUses(id, placeOf(Item::input(id)));
        for (const TensorId id : graph.captured())
            addUses(id, placeOf(Item::captured(id)));
        for (const NodeId id : graph.order())
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    addUses(output, m_placeOf[id.index]);
        for (const TensorId id : graph.outputs()) {
            const NodeId producer = graph.producer(id);
            const std::uint32_t target = placeOf(Item::output(id));
            if (producer.valid())
                addEdge(m_placeOf[producer.index], target, id);
            else if (graph.isExternal(id))
                addEdge(placeOf(graph.isInput(id) ? Item::input(id) : Item::captured(id)), target,
                        id);
        }
        return std::move(m_result);
    }

private:
    /// Is the tensor at one of the nodes that are drawn?
    bool isNear(TensorId id) const
    {
        if (m_options.only.empty())
            return true;
        const Graph &graph = m_snapshot.graph();
        const NodeId producer = graph.producer(id);
        return (producer.valid() && m_options.only.contains(producer)) ||
               std::ranges::any_of(graph.uses(id), [&](const Use &use) {
                   return m_options.only.contains(use.node);
               });
    }

    /// None for what is not drawn.
    std::uint32_t placeOf(const Item &item) const
    {
        const auto it = m_result.places.find(item);
        return it == m_result.places.end() ? VisibleGraph::none : it->second;
    }

    std::uint32_t add(VisibleGraph::Node node)
    {
        const auto place = std::uint32_t(m_result.nodes.size());
        m_result.places.emplace(node.item, place);
        m_result.nodes.push_back(std::move(node));
        return place;
    }

    void addTerminal(const Item &item, const QString &subtitle)
    {
        if (m_result.places.contains(item))
            return; // a model may name an output twice
        const std::string &name = m_snapshot.graph().tensor(item.tensor()).name;
        add({item, elided(fromUtf8(name), longestTitle), elided(subtitle, longestSubtitle),
             OperatorClass::Opaque, VisibleGraph::none});
    }

    void addNode(NodeId id)
    {
        const Around around = drawnAs(m_snapshot.groupOf(id, m_result.grouping));
        if (around.node != VisibleGraph::none) {
            m_placeOf[id.index] = m_result.collapsedInto[id.index] = around.node;
            return;
        }
        const NodeFacts &facts = m_snapshot.facts->of(id);
        const auto nested = m_snapshot.facts->nestedIn(id);
        const QString subtitle = nested.empty() ? elided(facts.shape, longestSubtitle)
                                                : elided(nestedSummary(nested), longestNested);
        m_placeOf[id.index] = add({Item::of(id), elided(facts.op, longestTitle), subtitle,
                                   facts.operatorClass, around.group, !nested.empty()});
    }

    /// What is drawn of a group and those around it: a node where one is collapsed, else the
    /// innermost box.
    struct Around {
        std::uint32_t node = VisibleGraph::none, group = VisibleGraph::none;
    };
    Around drawnAs(const Item &group)
    {
        if (!group)
            return {};
        if (m_around.size() <= group.index)
            m_around.resize(group.index + 1);
        if (m_around[group.index])
            return *m_around[group.index];
        Around result = drawnAs(m_snapshot.parentOf(group));
        if (result.node == VisibleGraph::none && needsBox(group)) {
            if (m_options.collapsed.contains(group))
                result.node = addCollapsed(group, result.group);
            else
                result.group = addGroup(group, result.group);
        }
        m_around[group.index] = result;
        return result;
    }

    bool needsBox(const Item &group) const
    {
        return group.kind != Item::Kind::Block || m_snapshot.factsOf(group).nodes > 1 ||
               m_snapshot.block(group).locked;
    }

    QString subtitleOf(const Item &group) const
    {
        const GroupFacts &facts = m_snapshot.factsOf(group);
        if (group.kind == Item::Kind::Subgraph)
            return QStringLiteral("%1 · weight %2")
                .arg(formatNodes(facts.nodes), formatReal(facts.weight));
        if (group.kind == Item::Kind::Block)
            return formatOperators(facts.nodes) +
                   (m_snapshot.block(group).locked ? QStringLiteral(" · locked") : QString());
        const auto macs = facts.macs.constant();
        return formatNodes(facts.nodes) +
               (macs && *macs > 0 ? QStringLiteral(" · %1 MACs").arg(formatCount(double(*macs)))
                                  : QString());
    }

    std::uint32_t addCollapsed(const Item &group, std::uint32_t around)
    {
        // It has the colour of what dominates it: the first class in order of cost.
        OperatorClass dominant = OperatorClass::Opaque;
        for (const NodeId id : m_snapshot.nodesOf(group))
            dominant = std::min(dominant, m_snapshot.facts->of(id).operatorClass);
        return add({group, elided(m_snapshot.titleOf(group), longestTitle), subtitleOf(group),
                    dominant, around});
    }

    std::uint32_t addGroup(const Item &group, std::uint32_t parent)
    {
        const auto index = std::uint32_t(m_result.groups.size());
        m_result.groupPlaces.emplace(group, index);
        m_result.groups.push_back(
            {group,
             group.kind == Item::Kind::Subgraph ? QString::number(group.index)
                                                : m_snapshot.titleOf(group),
             subtitleOf(group), parent,
             parent == VisibleGraph::none ? 0 : m_result.groups[parent].depth + 1});
        return index;
    }

    void addUses(TensorId tensor, std::uint32_t source)
    {
        for (const Use &use : m_snapshot.graph().uses(tensor))
            addEdge(source, m_placeOf[use.node.index], tensor);
    }

    void addEdge(std::uint32_t source, std::uint32_t target, TensorId tensor)
    {
        if (source == target || source == VisibleGraph::none || target == VisibleGraph::none)
            return;
        const auto key = (std::uint64_t(source) << 32) | target;
        const auto [it, added] = m_edges.emplace(key, std::uint32_t(m_result.edges.size()));
        if (added)
            m_result.edges.push_back({source, target, tensor, 1});
        else
            ++m_result.edges[it->second].count;
    }

    const Snapshot &m_snapshot;
    const ViewOptions &m_options;
    std::vector<std::uint32_t> m_placeOf;        // by node id
    std::vector<std::optional<Around>> m_around; // by group, as far as they are known
    std::unordered_map<std::uint64_t, std::uint32_t> m_edges;
    VisibleGraph m_result;
};

} // namespace

std::uint32_t VisibleGraph::nodeOf(const Item &item) const
{
    if (const auto it = places.find(item); it != places.end())
        return it->second;
    if (item.kind == Item::Kind::Node && item.index < collapsedInto.size())
        return collapsedInto[item.index];
    return none;
}

std::uint32_t VisibleGraph::groupOf(const Item &item) const
{
    const auto it = groupPlaces.find(item);
    return it == groupPlaces.end() ? none : it->second;
}

Item VisibleGraph::groupAround(const Item &item) const
{
    if (groupOf(item) != none)
        return item;
    const std::uint32_t node = nodeOf(item);
    if (node == none)
        return {};
    if (nodes[node].item.isGroup())
        return nodes[node].item;
    return nodes[node].group == none ? Item() : groups[nodes[node].group].item;
}

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options)
{
    return Builder(snapshot, options).build();
}

Grouping drawnGrouping(const Snapshot &snapshot, Grouping wanted)
{
    if (wanted == Grouping::None || snapshot.has(wanted))
        return wanted;
    for (const Grouping other : {Grouping::Blocks, Grouping::Subgraphs})
        if (snapshot.has(other) && (wanted == Grouping::Blocks || wanted == Grouping::Subgraphs))
            return other;
    return snapshot.modules && snapshot.graph().nodeCount() > mostDrawn ? Grouping::Modules
                                                                        : Grouping::None;
}

namespace {

constexpr Grouping allGroupings[] = {Grouping::Blocks, Grouping::Subgraphs, Grouping::Modules,
                                     Grouping::Fissions};

/// Opens groups level by level, the largest of a level last, until more nodes would be drawn than
/// fit; what is left stays closed.
void closeDeepest(const GroupForest &forest, Grouping grouping, std::size_t nodes, std::size_t most,
                  std::set<Item> &collapsed)
{
    const auto &groups = forest.groups;
    const auto drawnInside = [&](const GroupForest::Group &group) {
        std::size_t count = group.nodes.size() + group.children.size();
        for (const std::uint32_t child : group.children)
            count -= groups[child].nodes.size();
        return count;
    };
    std::vector<std::uint32_t> level;
    std::size_t drawn = nodes;
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
            closeDeepest(*forest, grouping, nodes, most, collapsed);
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

namespace {

/// What can be reached from some nodes within so many steps; negative: however many.
std::vector<bool> reachOf(const VisibleGraph &graph, const std::vector<std::uint32_t> &from,
                          bool down, int steps)
{
    const layout::Adjacency edges(graph.nodes.size(), graph.edges,
                                  down ? &VisibleGraph::Edge::source : &VisibleGraph::Edge::target);
    std::vector<bool> reached(graph.nodes.size(), false);
    std::vector<std::uint32_t> level = from;
    for (const std::uint32_t v : from)
        reached[v] = true;
    for (int step = 0; step != steps && !level.empty(); ++step) {
        std::vector<std::uint32_t> next;
        for (const std::uint32_t v : level)
            for (const std::uint32_t e : edges.of(v)) {
                const std::uint32_t to = down ? graph.edges[e].target : graph.edges[e].source;
                if (!reached[to]) {
                    reached[to] = true;
                    next.push_back(to);
                }
            }
        level = std::move(next);
    }
    return reached;
}

} // namespace

std::set<NodeId> nodesInFocus(const Snapshot &snapshot, const ViewOptions &options, bool *connected)
{
    ViewOptions whole = options;
    whole.only.clear();
    whole.focus = {};
    const VisibleGraph graph = visibleGraphOf(snapshot, whole);
    const Focus &focus = options.focus;
    std::vector<std::vector<std::uint32_t>> seeds; // by item
    std::vector<std::uint32_t> all;
    for (const Item &item : focus.around) {
        std::vector<std::uint32_t> own;
        if (const std::uint32_t node = graph.nodeOf(item); node != VisibleGraph::none)
            own.push_back(node);
        else if (item.isGroup() && snapshot.contains(item))
            for (const NodeId id : snapshot.nodesOf(item))
                if (const std::uint32_t drawn = graph.nodeOf(Item::of(id));
                    drawn != VisibleGraph::none)
                    own.push_back(drawn);
        all.insert(all.end(), own.begin(), own.end());
        seeds.push_back(std::move(own));
    }
    std::vector<bool> shown;
    if (focus.between) {
        const auto below = reachOf(graph, all, true, -1), above = reachOf(graph, all, false, -1);
        for (std::size_t v = 0; v < graph.nodes.size(); ++v)
            shown.push_back(below[v] && above[v]);
        if (connected)
            *connected = std::ranges::any_of(seeds, [&](const auto &own) {
                const auto reached = reachOf(graph, own, true, -1);
                return std::ranges::any_of(seeds, [&](const auto &other) {
                    return &other != &own &&
                           std::ranges::any_of(other, [&](std::uint32_t v) { return reached[v]; });
                });
            });
    } else {
        const auto below = reachOf(graph, all, true, focus.down),
                   above = reachOf(graph, all, false, focus.up);
        for (std::size_t v = 0; v < graph.nodes.size(); ++v)
            shown.push_back(below[v] || above[v]);
        if (connected)
            *connected = true;
    }
    std::set<NodeId> nodes;
    for (const NodeId id : snapshot.graph().order())
        if (const std::uint32_t v = graph.nodeOf(Item::of(id)); v != VisibleGraph::none && shown[v])
            nodes.insert(id);
    return nodes;
}

} // namespace graphloom
