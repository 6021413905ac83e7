// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/search.h"

namespace graphloom {

namespace {

class Search {
public:
    Search(const Snapshot &own, const Query &query) : m_own(own), m_query(query) {}

    void in(const Graph &graph, const GraphFacts &facts)
    {
        const QueryContext context{graph, facts, m_path.empty() ? &m_own : nullptr};
        addTensors(graph, graph.inputs(), &Item::input);
        for (const NodeId id : graph.order()) {
            if (m_query.matches(context, id))
                m_found.push_back({m_path, Item::of(id)});
            for (const NestedGraph &nested : facts.nestedIn(id)) {
                m_path.push_back(nested.step);
                in(*nested.graph, *nested.facts);
                m_path.pop_back();
            }
        }
        addTensors(graph, graph.outputs(), &Item::output);
    }
    std::vector<Place> takeFound() { return std::move(m_found); }

private:
    void addTensors(const Graph &graph, std::span<const TensorId> tensors, Item (*item)(TensorId))
    {
        for (const TensorId id : tensors)
            if (m_query.matches(graph.tensor(id)))
                m_found.push_back({m_path, item(id)});
    }

    const Snapshot &m_own;
    const Query &m_query;
    GraphPath m_path;
    std::vector<Place> m_found;
};

} // namespace

std::vector<Place> findPlaces(const Snapshot &own, const Query &query)
{
    if (query.isEmpty() || query.problem())
        return {};
    Search search(own, query);
    search.in(own.graph(), *own.facts);
    return search.takeFound();
}

std::vector<bool> nodesMatching(const Snapshot &snapshot, const Query &query)
{
    const QueryContext context{snapshot.graph(), *snapshot.facts, &snapshot};
    std::vector<bool> matching(snapshot.graph().nodeBound(), false);
    for (const NodeId id : snapshot.graph().order())
        matching[id.index] = query.matches(context, id);
    return matching;
}

} // namespace graphloom
