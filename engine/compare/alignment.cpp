// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/alignment.h"

#include "engine/base/hash.h"
#include "engine/compare/node_labels.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>

namespace graphloom {

namespace {

using Labels = std::vector<std::uint64_t>;

/// One of the two graphs.
struct Side {
    const Graph &graph;
    std::vector<NodeId> &other; // by node id: its node of the other graph
    BorderLabels border = {};
    Labels exact = {}, shape = {}; // with and without the elements of weights

    bool isFree(NodeId id) const { return graph.contains(id) && !other[id.index].valid(); }
};

class Aligner {
public:
    Aligner(const Graph &before, const Graph &now, const AlignmentHints &hints)
        : m_hints(hints), m_before{before, m_result.nodeInNow}, m_now{now, m_result.nodeInBefore}
    {
        m_result.nodeInNow.resize(before.nodeBound());
        m_result.nodeInBefore.resize(now.nodeBound());
        m_result.tensorInNow.resize(before.tensorBound());
        m_result.tensorInBefore.resize(now.tensorBound());
    }

    Alignment run()
    {
        alignBorders();
        for (Side *side : {&m_before, &m_now}) {
            side->exact.resize(side->graph.nodeBound(), 0);
            side->shape.resize(side->graph.nodeBound(), 0);
            for (const NodeId id : side->graph.order()) {
                side->exact[id.index] = labelOf(side->graph, id, true);
                side->shape[id.index] = labelOf(side->graph, id, false);
            }
        }
        if (m_hints.sameIds)
            alignIds();
        alignOrigins(true);
        alignComputations();
        m_namesHold = namesHold();
        if (m_namesHold)
            alignNames(true);
        for (const bool weights : {true, false})
            alignNeighbourhoods(weights);
        alignTwins();
        alignOrigins(false);
        if (m_namesHold)
            alignNames(false);
        alignNeighbours();
        alignTensors();
        return std::move(m_result);
    }

private:
    bool stopped() const { return m_hints.stop.stop_requested(); }
    static bool sameOperator(const Node &a, const Node &b)
    {
        return a.op == b.op && a.domain == b.domain;
    }
    bool sameOperator(NodeId a, NodeId b) const
    {
        return sameOperator(m_before.graph.node(a), m_now.graph.node(b));
    }
    void match(NodeId before, NodeId now)
    {
        m_result.nodeInNow[before.index] = now;
        m_result.nodeInBefore[now.index] = before;
        m_matched.emplace_back(before, now);
    }

    void alignBorders();
    void alignBorder(std::span<const TensorId> before, std::span<const TensorId> now,
                     Labels BorderLabels::*labels);
    void alignIds();
    void alignOrigins(bool sameOperators);
    void alignComputations();
    bool namesHold() const;
    void alignNames(bool sameOperators);
    void alignNeighbourhoods(bool weights);
    void alignTwins();
    void alignNeighbours();
    void alignTensors();
    std::size_t alignUnique(const Labels &before, const Labels &now);
    template <class Accept> void spread(Accept accept);
    Labels withAnchors(const Side &side, Labels labels) const;

    const AlignmentHints &m_hints;
    Alignment m_result;
    Side m_before, m_now;
    std::vector<std::pair<TensorId, TensorId>> m_borders; // inputs, then outputs
    std::vector<std::pair<NodeId, NodeId>> m_matched;     // in the order in which they were
    std::size_t m_spread = 0;                             // so many of them have been spread from
    bool m_namesHold = false;
};

/// By their names; what is left in its order, where types and ranks are the same.
void Aligner::alignBorder(std::span<const TensorId> before, std::span<const TensorId> now,
                          Labels BorderLabels::*labels)
{
    Labels &left = m_before.border.*labels, &right = m_now.border.*labels;
    left.resize(m_before.graph.tensorBound(), 0);
    right.resize(m_now.graph.tensorBound(), 0);
    std::uint64_t number = 0x10;
    const auto align = [&](TensorId a, TensorId b) {
        left[a.index] = right[b.index] = scramble(++number);
        m_borders.emplace_back(a, b);
    };
    std::unordered_map<std::string_view, TensorId> named;
    for (const TensorId b : now)
        named.emplace(m_now.graph.tensor(b).name, b);
    for (const TensorId a : before)
        if (const auto b = named.find(m_before.graph.tensor(a).name);
            b != named.end() && right[b->second.index] == 0 && left[a.index] == 0)
            align(a, b->second);
    std::size_t next = 0;
    for (const TensorId a : before) {
        if (left[a.index] != 0)
            continue;
        const Tensor &tensor = m_before.graph.tensor(a);
        for (std::size_t i = next; i < now.size(); ++i) {
            const Tensor &other = m_now.graph.tensor(now[i]);
            if (right[now[i].index] != 0 || tensor.type != other.type ||
                tensor.shape.has_value() != other.shape.has_value() ||
                (tensor.shape && tensor.shape->size() != other.shape->size()))
                continue;
            align(a, now[i]);
            next = i + 1;
            break;
        }
    }
    // What has no other is itself.
    for (const TensorId a : before)
        if (left[a.index] == 0)
            left[a.index] = scramble(++number);
    for (const TensorId b : now)
        if (right[b.index] == 0)
            right[b.index] = scramble(++number);
}

void Aligner::alignBorders()
{
    alignBorder(m_before.graph.inputs(), m_now.graph.inputs(), &BorderLabels::inputs);
    const auto captured = [](const Graph &graph) { return graph.captured(); };
    if (!captured(m_before.graph).empty() || !captured(m_now.graph).empty())
        for (Side *side : {&m_before, &m_now})
            for (std::size_t i = 0; i < captured(side->graph).size(); ++i)
                side->border.inputs[captured(side->graph)[i].index] = scramble(0x5000 + i);
    alignBorder(m_before.graph.outputs(), m_now.graph.outputs(), &BorderLabels::outputs);
}

/// What edits have left alone, or changed in place.
void Aligner::alignIds()
{
    for (const NodeId id : m_before.graph.order())
        if (m_now.isFree(id) && sameOperator(id, id) &&
            m_before.graph.node(id).origins == m_now.graph.node(id).origins)
            match(id, id);
}

/// The pairs that share most of their origins first.
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
    constexpr std::size_t mostEach = 64; // parts of one node that are looked at
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
            if (sameOperator(node, other) != sameOperators)
                continue;
            const std::size_t all =
                m_hints.before[a.index].size() + m_hints.now[b.index].size() - count;
            const double share = double(count) / double(all);
            if (!sameOperators && share < 1)
                continue;
            const int likeness = (!node.name.empty() && node.name == other.name) * 2 +
                                 (m_before.shape[a.index] == m_now.shape[b.index]) * 4 +
                                 (m_before.exact[a.index] == m_now.exact[b.index]);
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
        if (m_before.isFree(pair.before) && m_now.isFree(pair.now))
            match(pair.before, pair.now);
}

/// Aligns free nodes that alone have their label. Returns how many.
std::size_t Aligner::alignUnique(const Labels &before, const Labels &now)
{
    struct Owners {
        NodeId before, now;
        int countBefore = 0, countNow = 0;
    };
    std::unordered_map<std::uint64_t, Owners> owners;
    for (const NodeId a : m_before.graph.order())
        if (m_before.isFree(a)) {
            Owners &owner = owners[before[a.index]];
            owner.before = a;
            ++owner.countBefore;
        }
    for (const NodeId b : m_now.graph.order())
        if (m_now.isFree(b)) {
            Owners &owner = owners[now[b.index]];
            owner.now = b;
            ++owner.countNow;
        }
    std::size_t count = 0;
    for (const NodeId a : m_before.graph.order()) {
        if (!m_before.isFree(a))
            continue;
        const Owners &owner = owners[before[a.index]];
        if (owner.countBefore != 1 || owner.countNow != 1 || !sameOperator(a, owner.now))
            continue;
        match(a, owner.now);
        ++count;
    }
    return count;
}

/// Nodes that compute the same from inputs on, or from which the same is computed down to outputs,
/// with the same weights.
void Aligner::alignComputations()
{
    alignUnique(upstreamLabels(m_before.graph, m_before.border, m_before.exact),
                upstreamLabels(m_now.graph, m_now.border, m_now.exact));
    alignUnique(downstreamLabels(m_before.graph, m_before.border, m_before.exact),
                downstreamLabels(m_now.graph, m_now.border, m_now.exact));
}

/// Names tell something where nodes that are surely the same mostly have the same ones, as they do
/// not in models whose exporter numbers nodes. Without such nodes, where operators agree.
bool Aligner::namesHold() const
{
    std::size_t named = 0, agreeing = 0;
    for (const auto &[a, b] : m_matched) {
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
            alike += m_before.shape[a.index] == m_now.shape[b->second.index];
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
            alignUnique(labels[0], labels[1]);
            continue;
        }
        std::unordered_map<std::uint64_t, NodeId> left;
        for (const NodeId b : m_now.graph.order())
            if (m_now.isFree(b))
                left.emplace(labels[1][b.index], b);
        for (const NodeId a : m_before.graph.order())
            if (const auto b = left.find(labels[0][a.index]);
                b != left.end() && m_before.isFree(a) && m_now.isFree(b->second))
                match(a, b->second);
    }
}

/// Goes from aligned nodes to their neighbours in the same slots, as long as there is one on each
/// side that is accepted.
template <class Accept> void Aligner::spread(Accept accept)
{
    for (; m_spread < m_matched.size() && !stopped(); ++m_spread) {
        const auto [a, b] = m_matched[m_spread];
        const Node &before = m_before.graph.node(a), &now = m_now.graph.node(b);
        for (std::size_t i = 0; i < std::min(before.inputs.size(), now.inputs.size()); ++i) {
            if (!before.inputs[i].valid() || !now.inputs[i].valid())
                continue;
            const NodeId p = m_before.graph.producer(before.inputs[i]);
            const NodeId q = m_now.graph.producer(now.inputs[i]);
            if (p.valid() && q.valid() && m_before.isFree(p) && m_now.isFree(q) && accept(p, q))
                match(p, q);
        }
        for (std::size_t k = 0; k < std::min(before.outputs.size(), now.outputs.size()); ++k) {
            if (!before.outputs[k].valid() || !now.outputs[k].valid())
                continue;
            constexpr std::size_t mostReaders = 64; // a mask that all layers read says nothing
            const auto readers = m_before.graph.uses(before.outputs[k]);
            const auto others = m_now.graph.uses(now.outputs[k]);
            if (readers.size() > mostReaders || others.size() > mostReaders)
                continue;
            for (const Use &use : readers) {
                if (!m_before.isFree(use.node))
                    continue;
                NodeId only;
                int count = 0;
                for (const Use &other : others)
                    if (other.slot == use.slot && m_now.isFree(other.node) &&
                        accept(use.node, other.node)) {
                        only = other.node;
                        ++count;
                    }
                const auto rivals = std::ranges::count_if(readers, [&](const Use &rival) {
                    return rival.node != use.node && rival.slot == use.slot && only.valid() &&
                           m_before.isFree(rival.node) && accept(rival.node, only);
                });
                if (count == 1 && rivals == 0)
                    match(use.node, only);
            }
        }
    }
}

Labels Aligner::withAnchors(const Side &side, Labels labels) const
{
    // Both of a pair have the number of the earlier graph's node.
    const bool isBefore = &side == &m_before;
    for (const NodeId id : side.graph.order())
        if (side.other[id.index].valid())
            labels[id.index] =
                scramble(0xa0000000ULL + (isBefore ? id.index : side.other[id.index].index));
    return labels;
}

/// The wider the neighbourhood that makes a node the only one of its kind, the surer it is.
void Aligner::alignNeighbourhoods(bool weights)
{
    constexpr int radius = 6, mostRounds = 8;
    const auto own = [&](const Side &side) { return weights ? side.exact : side.shape; };
    for (int round = 0; round < mostRounds && !stopped(); ++round) {
        std::vector<std::pair<Labels, Labels>> labels{
            {withAnchors(m_before, own(m_before)), withAnchors(m_now, own(m_now))}};
        for (int r = 0; r < radius; ++r)
            labels.emplace_back(widened(m_before.graph, m_before.border, labels.back().first),
                                widened(m_now.graph, m_now.border, labels.back().second));
        std::size_t found = 0;
        for (int r = radius; r >= 0 && found == 0; --r)
            found = alignUnique(labels[std::size_t(r)].first, labels[std::size_t(r)].second);
        const std::size_t before = m_matched.size();
        m_spread = 0;
        spread([&](NodeId a, NodeId b) { return own(m_before)[a.index] == own(m_now)[b.index]; });
        if (found == 0 && m_matched.size() == before)
            return;
    }
}

/// Nodes of one kind that nothing tells apart are taken in their order, and what hangs on them with
/// them.
void Aligner::alignTwins()
{
    constexpr int radius = 3;
    Labels before = withAnchors(m_before, m_before.shape), now = withAnchors(m_now, m_now.shape);
    for (int r = 0; r < radius; ++r) {
        before = widened(m_before.graph, m_before.border, before);
        now = widened(m_now.graph, m_now.border, now);
    }
    std::unordered_map<std::uint64_t, std::vector<NodeId>> kinds;
    for (const NodeId b : m_now.graph.order())
        if (m_now.isFree(b))
            kinds[now[b.index]].push_back(b);
    for (auto &[label, nodes] : kinds)
        std::ranges::reverse(nodes); // the first is taken from the end
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
        spread([&](NodeId p, NodeId q) { return m_before.shape[p.index] == m_now.shape[q.index]; });
    }
}

/// First of the same operator, then of any in the same place.
void Aligner::alignNeighbours()
{
    m_spread = 0;
    spread([&](NodeId a, NodeId b) { return sameOperator(a, b); });
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
    // Another operator in the same place: all that it reads and all that read it are the same.
    for (const NodeId a : m_before.graph.order()) {
        if (!m_before.isFree(a))
            continue;
        std::vector<NodeId> around;
        const bool known = neighbours(m_before, a, [&](NodeId id, bool) {
            around.push_back(m_result.nodeInNow[id.index]);
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

void Aligner::alignTensors()
{
    const auto align = [&](TensorId a, TensorId b) {
        if (a.valid() && b.valid() && !m_result.tensorInNow[a.index].valid() &&
            !m_result.tensorInBefore[b.index].valid()) {
            m_result.tensorInNow[a.index] = b;
            m_result.tensorInBefore[b.index] = a;
        }
    };
    const auto isOpen = [](const Graph &graph, TensorId id) {
        return id.valid() && !graph.producer(id).valid();
    };
    std::ranges::sort(m_matched, {}, [&](const auto &pair) { return pair.first; });
    for (const auto &[a, b] : m_matched) {
        const Node &x = m_before.graph.node(a), &y = m_now.graph.node(b);
        for (std::size_t k = 0; k < std::min(x.outputs.size(), y.outputs.size()); ++k)
            align(x.outputs[k], y.outputs[k]);
    }
    for (const auto &[a, b] : m_borders) // outputs that other nodes give now
        align(a, b);
    for (const auto &[a, b] : m_matched) {
        const Node &x = m_before.graph.node(a), &y = m_now.graph.node(b);
        for (const auto list : {&Node::inputs, &Node::captures}) {
            const auto &left = x.*list, &right = y.*list;
            for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i)
                if (isOpen(m_before.graph, left[i]) && isOpen(m_now.graph, right[i]) &&
                    bool(m_before.graph.tensor(left[i]).constant) ==
                        bool(m_now.graph.tensor(right[i]).constant))
                    align(left[i], right[i]);
        }
    }
}

} // namespace

Alignment align(const Graph &before, const Graph &now, const AlignmentHints &hints)
{
    return Aligner(before, now, hints).run();
}

} // namespace graphloom
