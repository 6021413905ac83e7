// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/alignment.h"

#include "engine/base/hash.h"
#include "engine/compare/matching.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace graphloom {

namespace {

class Aligner : private Matching {
public:
    Aligner(const Graph &before, const Graph &now, const AlignmentHints &hints)
        : Matching(before, now, hints.stop), m_hints(hints), m_own{ownOf(before), ownOf(now)}
    {
    }

    Alignment run()
    {
        if (m_hints.sameIds)
            alignIds();
        alignOrigins(true);
        alignComputations();
        m_namesHold = namesHold();
        if (m_namesHold)
            alignNames(true);
        for (const NodeLabel label : {NodeLabel::Exact, NodeLabel::Shapes})
            alignNeighbourhoods(label);
        // Spread across single changed nodes before matching identical nodes by their order: after
        // an insertion into a chain of such nodes, all later ones would be off by one.
        spread(From::All,
               [&](NodeId a, NodeId b) { return sameOperator(a, b) && sameResults(a, b); });
        // For another resolution or batch size, only the structure is the same.
        for (const NodeLabel label : {NodeLabel::Shapes, NodeLabel::Form})
            alignNeighbourhoods(label);
        alignTwins();
        alignOrigins(false);
        if (m_namesHold)
            alignNames(false);
        alignNeighbours();
        return take();
    }

private:
    /// Labels by node id, for each NodeLabel.
    using Own = std::array<Labels, nodeLabels>;
    static Own ownOf(const Graph &graph);
    const Labels &ownBefore(NodeLabel label) const { return m_own[0][std::size_t(label)]; }
    const Labels &ownNow(NodeLabel label) const { return m_own[1][std::size_t(label)]; }
    bool sameLabel(NodeLabel label, NodeId a, NodeId b) const
    {
        return ownBefore(label)[a.index] == ownNow(label)[b.index];
    }

    void alignIds();
    void alignOrigins(bool sameOperators);
    void alignComputations();
    bool namesHold() const;
    void alignNames(bool sameOperators);
    void alignNeighbourhoods(NodeLabel label);
    void alignTwins();
    void alignNeighbours();

    const AlignmentHints &m_hints;
    const std::array<Own, 2> m_own;
    bool m_namesHold = false;
};

Aligner::Own Aligner::ownOf(const Graph &graph)
{
    Own own;
    for (std::size_t label = 0; label < own.size(); ++label) {
        own[label].resize(graph.nodeBound(), 0);
        for (const NodeId id : graph.order())
            own[label][id.index] = labelOf(graph, id, NodeLabel(label));
    }
    return own;
}

/// Matches nodes that edits have kept or changed in place, by their ids.
void Aligner::alignIds()
{
    for (const NodeId id : m_before.graph.order())
        if (m_now.isFree(id) && sameOperator(id, id) &&
            m_before.graph.node(id).origins == m_now.graph.node(id).origins)
            match(id, id);
}

/// Matches nodes by common origins, beginning with the pairs that share the largest part of them.
void Aligner::alignOrigins(bool sameOperators)
{
    if (m_hints.before.empty() || m_hints.now.empty())
        return;
    std::unordered_map<std::uint64_t, std::vector<NodeId>> byOrigin;
    for (const NodeId b : m_now.graph.order())
        if (m_now.isFree(b))
            for (const std::uint64_t origin : m_hints.now[b.index])
                byOrigin[origin].push_back(b);
    struct Pair {
        double share = 0;
        int likeness = 0;
        NodeId before, now;
    };
    constexpr std::size_t mostEach = 64; // compared parts of one node
    std::vector<Pair> pairs;
    for (const NodeId a : m_before.graph.order()) {
        if (!m_before.isFree(a))
            continue;
        std::unordered_map<NodeId, std::size_t> shared;
        for (const std::uint64_t origin : m_hints.before[a.index])
            if (const auto found = byOrigin.find(origin); found != byOrigin.end())
                for (std::size_t i = 0; i < std::min(mostEach, found->second.size()); ++i)
                    ++shared[found->second[i]];
        const Node &node = m_before.graph.node(a);
        for (const auto &[b, count] : shared) {
            const Node &other = m_now.graph.node(b);
            if (sameOperator(a, b) != sameOperators)
                continue;
            const std::size_t all =
                m_hints.before[a.index].size() + m_hints.now[b.index].size() - count;
            const double share = double(count) / double(all);
            if (!sameOperators && share < 1)
                continue;
            const int likeness = (!node.name.empty() && node.name == other.name) * 2 +
                                 sameLabel(NodeLabel::Shapes, a, b) * 4 +
                                 sameLabel(NodeLabel::Exact, a, b);
            pairs.push_back({share, likeness, a, b});
        }
    }
    std::ranges::sort(pairs, [&](const Pair &x, const Pair &y) {
        const auto key = [&](const Pair &pair) {
            return std::tuple(-pair.share, -pair.likeness, m_before.graph.position(pair.before),
                              m_now.graph.position(pair.now));
        };
        return key(x) < key(y);
    });
    for (const Pair &pair : pairs)
        if (areFree(pair.before, pair.now))
            match(pair.before, pair.now);
}

/// Matches nodes that compute the same from the inputs of the graph, or from which its outputs are
/// computed in the same way, with the same weights.
void Aligner::alignComputations()
{
    const Labels &left = ownBefore(NodeLabel::Exact), &right = ownNow(NodeLabel::Exact);
    matchUnique(upstreamLabels(m_before.graph, m_before.border, left),
                upstreamLabels(m_now.graph, m_now.border, right));
    matchUnique(downstreamLabels(m_before.graph, m_before.border, left),
                downstreamLabels(m_now.graph, m_now.border, right));
}

/// Tells whether names identify nodes: nodes that are surely the same mostly have the same names,
/// unlike in models whose exporter numbers nodes. With too few such nodes, operators must agree.
bool Aligner::namesHold() const
{
    std::size_t named = 0, agreeing = 0;
    for (const auto &[a, b] : pairs()) {
        const std::string &name = m_before.graph.node(a).name;
        named += !name.empty();
        agreeing += !name.empty() && name == m_now.graph.node(b).name;
    }
    constexpr std::size_t fewest = 8;
    if (named >= fewest)
        return 2 * agreeing >= named;
    std::unordered_map<std::string_view, NodeId> byName;
    for (const NodeId b : m_now.graph.order())
        byName.emplace(m_now.graph.node(b).name, b);
    std::size_t common = 0, alike = 0;
    for (const NodeId a : m_before.graph.order())
        if (const auto b = byName.find(m_before.graph.node(a).name);
            b != byName.end() && !b->first.empty()) {
            ++common;
            alike += sameLabel(NodeLabel::Form, a, b->second);
        }
    return 3 * alike >= 2 * common;
}

void Aligner::alignNames(bool sameOperators)
{
    for (const bool ofOutputs : {false, true}) {
        const auto nameIn = [&](const Graph &graph, NodeId id) -> const std::string & {
            const Node &node = graph.node(id);
            static const std::string none;
            if (!ofOutputs)
                return node.name;
            return node.outputs.empty() || !node.outputs[0].valid()
                       ? none
                       : graph.tensor(node.outputs[0]).name;
        };
        std::array<Labels, 2> labels;
        std::array<const Side *, 2> sides{&m_before, &m_now};
        std::uint64_t unnamed = 0;
        for (std::size_t s = 0; s < 2; ++s) {
            labels[s].resize(sides[s]->graph.nodeBound(), 0);
            for (const NodeId id : sides[s]->graph.order()) {
                const std::string &name = nameIn(sides[s]->graph, id);
                labels[s][id.index] = name.empty() ? scramble(++unnamed) : hashText(name, 7);
            }
        }
        if (sameOperators) {
            matchUnique(labels[0], labels[1]);
            continue;
        }
        std::unordered_map<std::uint64_t, NodeId> left;
        for (const NodeId b : m_now.graph.order())
            if (m_now.isFree(b))
                left.emplace(labels[1][b.index], b);
        for (const NodeId a : m_before.graph.order())
            if (const auto b = left.find(labels[0][a.index]);
                b != left.end() && areFree(a, b->second))
                match(a, b->second);
    }
}

/// Matches nodes with unique neighbourhoods; the wider the neighbourhood, the surer the match.
void Aligner::alignNeighbourhoods(NodeLabel label)
{
    constexpr int radius = 6, mostRounds = 8;
    for (int round = 0; round < mostRounds && !stopped(); ++round) {
        std::vector<std::pair<Labels, Labels>> labels{
            {withAnchors(m_before, ownBefore(label)), withAnchors(m_now, ownNow(label))}};
        for (int r = 0; r < radius; ++r)
            labels.emplace_back(widened(m_before.graph, m_before.border, labels.back().first),
                                widened(m_now.graph, m_now.border, labels.back().second));
        std::size_t found = 0;
        for (int r = radius; r >= 0 && found == 0; --r)
            found = matchUnique(labels[std::size_t(r)].first, labels[std::size_t(r)].second);
        const std::size_t before = pairs().size();
        spread(From::All, [&](NodeId a, NodeId b) { return sameLabel(label, a, b); });
        if (found == 0 && pairs().size() == before)
            return;
    }
}

/// Matches indistinguishable nodes in their order, together with the nodes that depend on them.
void Aligner::alignTwins()
{
    constexpr int radius = 3;
    Labels before = withAnchors(m_before, ownBefore(NodeLabel::Shapes)),
           now = withAnchors(m_now, ownNow(NodeLabel::Shapes));
    for (int r = 0; r < radius; ++r) {
        before = widened(m_before.graph, m_before.border, before);
        now = widened(m_now.graph, m_now.border, now);
    }
    std::unordered_map<std::uint64_t, std::vector<NodeId>> kinds;
    for (const NodeId b : m_now.graph.order())
        if (m_now.isFree(b))
            kinds[now[b.index]].push_back(b);
    for (auto &[label, nodes] : kinds)
        std::ranges::reverse(nodes); // the first one is popped from the end
    for (const NodeId a : m_before.graph.order()) {
        const auto kind = kinds.find(before[a.index]);
        if (kind == kinds.end() || !m_before.isFree(a) || stopped())
            continue;
        std::vector<NodeId> &nodes = kind->second;
        while (!nodes.empty() && !m_now.isFree(nodes.back()))
            nodes.pop_back();
        if (nodes.empty())
            continue;
        match(a, nodes.back());
        spread(From::New, [&](NodeId p, NodeId q) { return sameLabel(NodeLabel::Shapes, p, q); });
    }
}

/// Matches neighbours of matched nodes: first by operator, then any in the same place.
void Aligner::alignNeighbours()
{
    spread(From::All, [&](NodeId a, NodeId b) { return sameOperator(a, b); });
    const auto neighbours = [](const Side &side, NodeId id, auto visit) {
        const Node &node = side.graph.node(id);
        bool fits = true, any = false;
        for (const TensorId input : node.inputs)
            if (const NodeId p = input.valid() ? side.graph.producer(input) : NodeId(); p.valid()) {
                fits = fits && visit(p, true);
                any = true;
            }
        for (const NodeId reader : side.graph.successors(id)) {
            fits = fits && visit(reader, false);
            any = true;
        }
        return fits && any;
    };
    // Another operator in the same place has the same inputs and the same readers.
    for (const NodeId a : m_before.graph.order()) {
        if (!m_before.isFree(a))
            continue;
        std::vector<NodeId> around;
        const bool known = neighbours(m_before, a, [&](NodeId id, bool) {
            around.push_back(now(id));
            return around.back().valid();
        });
        if (!known || around.empty())
            continue;
        std::vector<NodeId> candidates = m_now.graph.successors(around.front());
        const auto more = m_now.graph.predecessors(around.front());
        candidates.insert(candidates.end(), more.begin(), more.end());
        for (const NodeId b : candidates) {
            if (!m_now.isFree(b))
                continue;
            std::vector<NodeId> others;
            neighbours(m_now, b, [&](NodeId id, bool) {
                others.push_back(id);
                return true;
            });
            if (others == around) {
                match(a, b);
                break;
            }
        }
    }
}

} // namespace

Alignment align(const Graph &before, const Graph &now, const AlignmentHints &hints)
{
    return Aligner(before, now, hints).run();
}

} // namespace graphloom
