// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/query/search.h"

#include <ctime>

namespace graphloom {

namespace {

constexpr std::size_t askedEvery = 64; // nodes between checks for a stop

double threadMilliseconds()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return double(time.tv_sec) * 1e3 + double(time.tv_nsec) / 1e6;
}

bool never()
{
    return false;
}

class Search {
public:
    Search(const Snapshot &own, const Query &query, const GivesUp &givesUp)
        : m_own(own), m_query(query), m_givesUp(givesUp)
    {
    }

    void in(const Graph &graph, const GraphFacts &facts)
    {
        const QueryContext context{graph, facts, m_path.empty() ? &m_own : nullptr};
        addTensors(graph, graph.inputs(), &Item::input);
        for (const NodeId id : graph.order()) {
            if (isGivenUp())
                return;
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
    std::optional<std::vector<Place>> takeFound()
    {
        return m_givenUp ? std::nullopt : std::optional(std::move(m_found));
    }

private:
    bool isGivenUp()
    {
        m_givenUp = m_givenUp || (++m_asked % askedEvery == 0 && m_givesUp());
        return m_givenUp;
    }

    void addTensors(const Graph &graph, std::span<const TensorId> tensors, Item (*item)(TensorId))
    {
        for (const TensorId id : tensors)
            if (m_query.matches(graph.tensor(id)))
                m_found.push_back({m_path, item(id)});
    }

    const Snapshot &m_own;
    const Query &m_query;
    const GivesUp &m_givesUp;
    std::size_t m_asked = 0;
    bool m_givenUp = false;
    GraphPath m_path;
    std::vector<Place> m_found;
};

} // namespace

GivesUp afterMilliseconds(double milliseconds)
{
    return [until = threadMilliseconds() + milliseconds] { return threadMilliseconds() > until; };
}

std::optional<std::vector<Place>> findPlaces(const Snapshot &own, const Query &query,
                                             const GivesUp &givesUp)
{
    if (query.isEmpty() || query.problem())
        return std::vector<Place>();
    Search search(own, query, givesUp);
    search.in(own.graph(), *own.facts);
    return search.takeFound();
}

std::vector<Place> findPlaces(const Snapshot &own, const Query &query)
{
    return *findPlaces(own, query, never);
}

std::optional<std::vector<bool>> nodesMatching(const Snapshot &snapshot, const Query &query,
                                               const GivesUp &givesUp)
{
    const QueryContext context{snapshot.graph(), *snapshot.facts, &snapshot};
    std::vector<bool> matching(snapshot.graph().nodeBound(), false);
    std::size_t asked = 0;
    for (const NodeId id : snapshot.graph().order()) {
        if (++asked % askedEvery == 0 && givesUp())
            return std::nullopt;
        matching[id.index] = query.matches(context, id);
    }
    return matching;
}

std::vector<bool> nodesMatching(const Snapshot &snapshot, const Query &query)
{
    return *nodesMatching(snapshot, query, never);
}

} // namespace graphloom
