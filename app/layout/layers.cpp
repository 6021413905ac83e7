// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/layers.h"

#include <limits>
#include <map>
#include <utility>

namespace graphloom::layout {

namespace {

/// Layers with more vertices skip the quadratic exchange of neighbours.
constexpr std::size_t widestForExchange = 400;

std::vector<Edge> plain(const LayeredInput &input)
{
    std::vector<Edge> edges;
    edges.reserve(input.edges.size());
    for (const LayeredEdge &edge : input.edges)
        edges.push_back({numberOf(edge.source), numberOf(edge.target)});
    return edges;
}

std::vector<Pin> pinsOf(const LayeredInput &input)
{
    std::vector<Pin> pins;
    for (const LayeredNode &node : input.nodes)
        pins.push_back(node.pin);
    return pins;
}

} // namespace

Layers::Layers(const LayeredInput &input, double chainWidth)
{
    const std::size_t nodes = input.nodes.size();
    const auto edges = withoutCycles(nodes, plain(input), &m_turned.elements());
    const auto ranks = rankNodes(nodes, edges, pinsOf(input));
    m_vertices.reserve(nodes);
    for (const VertexIndex v : input.nodes.indices())
        m_vertices.push_back(
            {RankIndex(ranks[numberOf(v)]), input.nodes[v].left, input.nodes[v].right, false});

    // Each port that long edges leave has one chain of dummy vertices, created on demand.
    std::map<std::pair<VertexIndex, double>, std::vector<VertexIndex>> chains;
    m_paths.resize(edges.size());
    for (const LineIndex e : m_paths.indices()) {
        const Edge &edge = edges[numberOf(e)];
        const VertexIndex upper(edge.source), lower(edge.target);
        const RankIndex first = m_vertices[upper].rank;
        const int between = m_vertices[lower].rank - first - 1; // ranks
        const double upperPort =
            m_turned[e] ? input.edges[e].targetPort : input.edges[e].sourcePort;
        const double lowerPort =
            m_turned[e] ? input.edges[e].sourcePort : input.edges[e].targetPort;
        const double upperAim = input.nodes[upper].centred ? 0 : upperPort;
        const double lowerAim = input.nodes[lower].centred ? 0 : lowerPort;
        m_paths[e].push_back(upper);
        if (between > 0) {
            auto &chain = chains[{upper, upperPort}];
            while (int(chain.size()) < between) {
                const RankIndex rank = first + 1 + int(chain.size());
                const VertexIndex vertex =
                    m_vertices.append({rank, chainWidth / 2, chainWidth / 2, true});
                m_segments.push_back(chain.empty() ? Segment{upper, vertex, upperAim, 0}
                                                   : Segment{chain.back(), vertex, 0, 0});
                chain.push_back(vertex);
            }
            m_paths[e].insert(m_paths[e].end(), chain.begin(), chain.begin() + between);
            m_segments.push_back({m_paths[e].back(), lower, 0, lowerAim});
        } else {
            m_segments.push_back({upper, lower, upperAim, lowerAim});
        }
        m_paths[e].push_back(lower);
    }
    m_below = {m_vertices.size(), m_segments.elements(), &Segment::upper};
    m_above = {m_vertices.size(), m_segments.elements(), &Segment::lower};

    RankIndex highest(0);
    for (const Vertex &vertex : m_vertices)
        highest = std::max(highest, vertex.rank);
    m_layers.resize(m_vertices.empty() ? 0 : numberOf(highest) + 1);
    m_position.resize(m_vertices.size());
    initialOrder();
}

void Layers::setLayer(RankIndex rank, std::vector<VertexIndex> order)
{
    for (std::uint32_t i = 0; i < order.size(); ++i)
        m_position[order[i]] = i;
    m_layers[rank] = std::move(order);
}

void Layers::initialOrder()
{
    // Depth first, nodes before chains: related vertices are visited together, and the main path
    // lies to the left of the lines that bypass it.
    IndexedVector<RankIndex, std::vector<VertexIndex>> layers(m_layers.size());
    IndexedVector<VertexIndex, bool> seen(m_vertices.size(), false);
    std::vector<VertexIndex> stack;
    const auto visit = [&](VertexIndex start) {
        stack.push_back(start);
        while (!stack.empty()) {
            const VertexIndex v = stack.back();
            stack.pop_back();
            if (seen[v])
                continue;
            seen[v] = true;
            layers[m_vertices[v].rank].push_back(v);
            const auto segments = below(v);
            for (const bool chain : {true, false})
                for (auto it = segments.rbegin(); it != segments.rend(); ++it) {
                    const VertexIndex w = m_segments[*it].lower;
                    if (m_vertices[w].chain == chain && !seen[w])
                        stack.push_back(w);
                }
        }
    };
    for (const VertexIndex v : m_vertices.indices())
        if (above(v).empty())
            visit(v);
    for (const RankIndex r : layers.indices())
        setLayer(r, std::move(layers[r]));
}

std::uint64_t Layers::crossingsBelow(RankIndex rank) const
{
    if (rank >= m_layers.lastIndex() || m_layers[rank].size() < 2)
        return 0;
    // Segments are sorted by upper end; every inversion of lower ends is a crossing (Fenwick tree).
    std::vector<std::uint32_t> tree(m_layers[rank + 1].size() + 1, 0), ends;
    std::uint64_t crossings = 0, inserted = 0;
    for (const VertexIndex v : m_layers[rank]) {
        ends.clear();
        for (const SegmentIndex s : below(v))
            ends.push_back(m_position[m_segments[s].lower]);
        for (const std::uint32_t end : ends) {
            std::uint64_t notRight = 0;
            for (std::uint32_t i = end + 1; i > 0; i &= i - 1)
                notRight += tree[i];
            crossings += inserted - notRight;
        }
        for (const std::uint32_t end : ends) {
            for (std::uint32_t i = end + 1; i < tree.size(); i += i & (~i + 1))
                ++tree[i];
            ++inserted;
        }
    }
    return crossings;
}

std::uint64_t Layers::crossings() const
{
    std::uint64_t sum = 0;
    for (const RankIndex r : m_layers.indices())
        sum += crossingsBelow(r);
    return sum;
}

void Layers::sweep(bool down, bool preferRight)
{
    std::vector<std::pair<double, VertexIndex>> keyed;
    const auto ranks = down ? m_layers.indices() : m_layers.indices().reversed();
    for (const RankIndex rank : ranks) {
        if (rank == *ranks.begin())
            continue;
        const auto &layer = m_layers[rank];
        if (layer.size() < 2)
            continue;
        keyed.clear();
        for (const VertexIndex v : layer) {
            const auto segments = down ? above(v) : below(v);
            double sum = 0;
            for (const SegmentIndex s : segments)
                sum += m_position[down ? m_segments[s].upper : m_segments[s].lower];
            if (!segments.empty())
                keyed.emplace_back(sum / double(segments.size()), v);
        }
        // Vertices without a neighbour on that side keep their places. Vertices with equal keys
        // swap in every other round, so that sweeps leave local minima.
        if (preferRight)
            std::reverse(keyed.begin(), keyed.end());
        std::stable_sort(keyed.begin(), keyed.end(),
                         [](const auto &a, const auto &b) { return a.first < b.first; });
        std::vector<VertexIndex> order = layer;
        std::size_t next = 0;
        for (VertexIndex &slot : order) {
            const auto segments = down ? above(slot) : below(slot);
            if (!segments.empty())
                slot = keyed[next++].second;
        }
        setLayer(rank, std::move(order));
    }
}

bool Layers::exchangeNeighbours(RankIndex rank)
{
    auto &layer = m_layers[rank];
    if (layer.size() < 2 || layer.size() > widestForExchange)
        return false;
    std::vector<std::vector<std::uint32_t>> ups(layer.size()), downs(layer.size());
    for (std::size_t i = 0; i < layer.size(); ++i) {
        for (const SegmentIndex s : above(layer[i]))
            ups[i].push_back(m_position[m_segments[s].upper]);
        for (const SegmentIndex s : below(layer[i]))
            downs[i].push_back(m_position[m_segments[s].lower]);
        std::sort(ups[i].begin(), ups[i].end());
        std::sort(downs[i].begin(), downs[i].end());
    }
    // Counts the crossings between segments of two neighbours, left one first, in one merge.
    const auto crossed = [](const std::vector<std::uint32_t> &left,
                            const std::vector<std::uint32_t> &right) {
        std::uint64_t sum = 0;
        std::size_t smaller = 0;
        for (const std::uint32_t end : left) {
            while (smaller < right.size() && right[smaller] < end)
                ++smaller;
            sum += smaller;
        }
        return sum;
    };
    bool improved = false;
    for (std::size_t i = 0; i + 1 < layer.size(); ++i) {
        const std::uint64_t now = crossed(ups[i], ups[i + 1]) + crossed(downs[i], downs[i + 1]);
        if (now == 0)
            continue;
        if (crossed(ups[i + 1], ups[i]) + crossed(downs[i + 1], downs[i]) < now) {
            std::swap(layer[i], layer[i + 1]);
            std::swap(ups[i], ups[i + 1]);
            std::swap(downs[i], downs[i + 1]);
            m_position[layer[i]] = std::uint32_t(i);
            m_position[layer[i + 1]] = std::uint32_t(i + 1);
            improved = true;
        }
    }
    return improved;
}

bool Layers::reduceCrossings(int sweeps, std::stop_token stop)
{
    auto best = m_layers;
    std::uint64_t fewest = crossings();
    const auto keepBest = [&] {
        const std::uint64_t now = crossings();
        if (now >= fewest)
            return false;
        fewest = now;
        best = m_layers;
        return true;
    };
    int useless = 0;
    for (int i = 0; i < sweeps && fewest > 0 && useless < 4; ++i) {
        if (stop.stop_requested())
            return false;
        sweep(i % 2 == 0, i % 4 >= 2);
        useless = keepBest() ? 0 : useless + 1;
    }
    for (const RankIndex r : best.indices())
        setLayer(r, best[r]);
    for (int round = 0; round < 4 && fewest > 0; ++round) {
        if (stop.stop_requested())
            return false;
        bool improved = false;
        for (const RankIndex r : m_layers.indices())
            improved |= exchangeNeighbours(r);
        if (!improved)
            break;
    }
    return !stop.stop_requested();
}

} // namespace graphloom::layout
