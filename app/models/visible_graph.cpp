// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/visible_graph.h"

#include "app/models/format.h"

#include <algorithm>

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
        const Item around = m_snapshot.groupOf(id, m_result.grouping);
        std::uint32_t group = VisibleGraph::none;
        if (around && needsBox(around)) {
            if (m_options.collapsed.contains(around)) {
                std::uint32_t place = placeOf(around);
                if (place == VisibleGraph::none)
                    place = addCollapsed(around);
                m_placeOf[id.index] = m_result.collapsedInto[id.index] = place;
                return;
            }
            group = groupFor(around);
        }
        const NodeFacts &facts = m_snapshot.facts->of(id);
        const auto nested = m_snapshot.facts->nestedIn(id);
        const QString subtitle = nested.empty() ? elided(facts.shape, longestSubtitle)
                                                : elided(nestedSummary(nested), longestNested);
        m_placeOf[id.index] = add({Item::of(id), elided(facts.op, longestTitle), subtitle,
                                   facts.operatorClass, group, !nested.empty()});
    }

    bool needsBox(const Item &group) const
    {
        return group.kind == Item::Kind::Subgraph || m_snapshot.factsOf(group).nodes > 1 ||
               m_snapshot.block(group).locked;
    }

    QString subtitleOf(const Item &group) const
    {
        const GroupFacts &facts = m_snapshot.factsOf(group);
        if (group.kind == Item::Kind::Subgraph)
            return QStringLiteral("%1 · weight %2")
                .arg(formatNodes(facts.nodes), formatReal(facts.weight));
        return formatOperators(facts.nodes) +
               (m_snapshot.block(group).locked ? QStringLiteral(" · locked") : QString());
    }

    std::uint32_t addCollapsed(const Item &group)
    {
        // It has the colour of what dominates it: the first class in order of cost.
        OperatorClass dominant = OperatorClass::Opaque;
        for (const NodeId id : m_snapshot.nodesOf(group))
            dominant = std::min(dominant, m_snapshot.facts->of(id).operatorClass);
        const QString title = group.kind == Item::Kind::Subgraph
                                  ? QStringLiteral("Subgraph %1").arg(group.index)
                                  : titleOfBlock(m_snapshot.block(group));
        return add(
            {group, elided(title, longestTitle), subtitleOf(group), dominant, VisibleGraph::none});
    }

    std::uint32_t groupFor(const Item &group)
    {
        const auto [it, added] =
            m_result.groupPlaces.emplace(group, std::uint32_t(m_result.groups.size()));
        if (added)
            m_result.groups.push_back({group,
                                       group.kind == Item::Kind::Subgraph
                                           ? QString::number(group.index)
                                           : titleOfBlock(m_snapshot.block(group)),
                                       subtitleOf(group)});
        return it->second;
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
    std::vector<std::uint32_t> m_placeOf; // by node id
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

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options)
{
    return Builder(snapshot, options).build();
}

Grouping drawnGrouping(const Snapshot &snapshot, Grouping wanted)
{
    if (wanted == Grouping::None || snapshot.groups(wanted))
        return wanted;
    const Grouping other = wanted == Grouping::Blocks ? Grouping::Subgraphs : Grouping::Blocks;
    return snapshot.groups(other) ? other : Grouping::None;
}

std::set<Item> allGroups(const Snapshot &snapshot, std::size_t leastNodes)
{
    std::set<Item> groups;
    for (const auto &[grouping, item] : {std::pair{Grouping::Blocks, &Item::block},
                                         std::pair{Grouping::Subgraphs, &Item::subgraph}})
        if (const Partition *partition = snapshot.groups(grouping))
            for (std::uint32_t i = 0; i < partition->subgraphs.size(); ++i)
                if (partition->subgraphs[i].nodes.size() >= leastNodes)
                    groups.insert(item(i));
    return groups;
}

std::set<Item> initiallyCollapsed(const Snapshot &snapshot, std::size_t most)
{
    return snapshot.graph().nodeCount() > most ? allGroups(snapshot, 2) : std::set<Item>();
}

} // namespace graphloom
