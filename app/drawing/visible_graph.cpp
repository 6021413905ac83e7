// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/visible_graph.h"

#include "app/common/format.h"

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
        addOutputs();

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
    /// Tells whether a drawn node reads or writes the tensor.
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

    /// Returns none for an item that is not drawn.
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

    /// Leaves outputs in a collapsed group that has many: the new weights of a training step.
    void addOutputs()
    {
        constexpr int most = 8;
        const Graph &graph = m_snapshot.graph();
        const auto collapsedOf = [&](TensorId id) {
            const NodeId producer = graph.producer(id);
            return producer.valid() ? m_result.collapsedInto[producer.index] : VisibleGraph::none;
        };
        std::unordered_map<std::uint32_t, int> counts;
        for (const TensorId id : graph.outputs())
            ++counts[collapsedOf(id)];
        for (const TensorId id : graph.outputs()) {
            const std::uint32_t group = collapsedOf(id);
            if (group != VisibleGraph::none && counts[group] > most)
                m_result.places.emplace(Item::output(id), group);
            else if (isNear(id))
                addTerminal(Item::output(id), formatType(graph.tensor(id)));
        }
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

    /// Describes what a group is drawn in: the node of a collapsed group, itself or around it, or
    /// else the innermost box.
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
        // The group has the colour of its dominant class, the first in order of cost.
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
    std::vector<std::optional<Around>> m_around; // by group, once known
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

} // namespace graphloom
