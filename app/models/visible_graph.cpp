// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/visible_graph.h"

#include "app/models/format.h"

namespace graphloom {

namespace {

constexpr int longestTitle = 30, longestSubtitle = 34, longestNested = 52;

class Builder {
public:
    Builder(const Snapshot &snapshot, const ViewOptions &options)
        : m_snapshot(snapshot), m_options(options),
          m_placeOf(snapshot.graph().nodeBound(), VisibleGraph::none)
    {
        m_result.collapsedInto.assign(snapshot.graph().nodeBound(), VisibleGraph::none);
    }

    VisibleGraph build()
    {
        const Graph &graph = m_snapshot.graph();
        for (const TensorId id : graph.inputs())
            addTerminal(Item::input(id), formatType(graph.tensor(id)));
        for (const TensorId id : graph.captured())
            addTerminal(Item::captured(id),
                        QStringLiteral("captured · ") + formatType(graph.tensor(id)));
        for (const NodeId id : graph.order())
            addNode(id);
        for (const TensorId id : graph.outputs())
            addTerminal(Item::output(id), formatType(graph.tensor(id)));

        for (const TensorId id : graph.inputs())
            addUses(id, m_result.places.at(Item::input(id)));
        for (const TensorId id : graph.captured())
            addUses(id, m_result.places.at(Item::captured(id)));
        for (const NodeId id : graph.order())
            for (const TensorId output : graph.node(id).outputs)
                if (output.valid())
                    addUses(output, m_placeOf[id.index]);
        for (const TensorId id : graph.outputs()) {
            const NodeId producer = graph.producer(id);
            const std::uint32_t target = m_result.places.at(Item::output(id));
            if (producer.valid())
                addEdge(m_placeOf[producer.index], target, id);
            else if (graph.isExternal(id))
                addEdge(
                    m_result.places.at(graph.isInput(id) ? Item::input(id) : Item::captured(id)),
                    target, id);
        }
        return std::move(m_result);
    }

private:
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
        const std::uint32_t subgraph =
            m_options.grouped ? m_snapshot.subgraphOf(id) : Partition::none;
        std::uint32_t group = VisibleGraph::none;
        if (subgraph != Partition::none) {
            if (m_options.collapsed.contains(subgraph)) {
                const auto it = m_result.places.find(Item::subgraph(subgraph));
                const std::uint32_t place =
                    it != m_result.places.end() ? it->second : addCollapsed(subgraph);
                m_placeOf[id.index] = m_result.collapsedInto[id.index] = place;
                return;
            }
            group = groupFor(subgraph);
        }
        const NodeFacts &facts = m_snapshot.facts->of(id);
        const auto nested = m_snapshot.facts->nestedIn(id);
        const QString subtitle = nested.empty() ? elided(facts.shape, longestSubtitle)
                                                : elided(nestedSummary(nested), longestNested);
        m_placeOf[id.index] = add({Item::of(id), elided(facts.op, longestTitle), subtitle,
                                   facts.operatorClass, group, !nested.empty()});
    }

    QString subtitleOf(std::uint32_t subgraph) const
    {
        const auto &row = m_snapshot.partition->rows[subgraph];
        return QStringLiteral("%1 · weight %2").arg(formatNodes(row.nodes), formatReal(row.weight));
    }

    std::uint32_t addCollapsed(std::uint32_t subgraph)
    {
        // It has the colour of what dominates it: the first class in order of cost.
        OperatorClass dominant = OperatorClass::Opaque;
        for (const NodeId id : m_snapshot.plan->partition->subgraphs[subgraph].nodes)
            dominant = std::min(dominant, m_snapshot.facts->of(id).operatorClass);
        return add({Item::subgraph(subgraph), QStringLiteral("Subgraph %1").arg(subgraph),
                    subtitleOf(subgraph), dominant, VisibleGraph::none});
    }

    std::uint32_t groupFor(std::uint32_t subgraph)
    {
        const auto [it, added] =
            m_result.groupPlaces.emplace(subgraph, std::uint32_t(m_result.groups.size()));
        if (added)
            m_result.groups.push_back({subgraph, QString::number(subgraph), subtitleOf(subgraph)});
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

std::uint32_t VisibleGraph::groupOf(std::uint32_t subgraph) const
{
    const auto it = groupPlaces.find(subgraph);
    return it == groupPlaces.end() ? none : it->second;
}

VisibleGraph visibleGraphOf(const Snapshot &snapshot, const ViewOptions &options)
{
    return Builder(snapshot, options).build();
}

std::set<std::uint32_t> initiallyCollapsed(const Plan &plan, std::size_t most)
{
    std::set<std::uint32_t> collapsed;
    if (plan.partition && plan.graph.nodeCount() > most)
        for (std::uint32_t i = 0; i < plan.partition->subgraphs.size(); ++i)
            if (plan.partition->subgraphs[i].nodes.size() > 1)
                collapsed.insert(i);
    return collapsed;
}

} // namespace graphloom
