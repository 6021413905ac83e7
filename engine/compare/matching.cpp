// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/matching.h"

#include "engine/base/hash.h"

#include <string_view>
#include <unordered_map>

namespace graphloom {

Matching::Matching(const Graph &before, const Graph &now, std::stop_token stop)
    : m_before{before, m_result.nodeInNow}, m_now{now, m_result.nodeInBefore},
      m_stop(std::move(stop))
{
    m_result.nodeInNow.resize(before.nodeBound());
    m_result.nodeInBefore.resize(now.nodeBound());
    m_result.tensorInNow.resize(before.tensorBound());
    m_result.tensorInBefore.resize(now.tensorBound());
    matchBorder(m_before.graph.inputs(), m_now.graph.inputs(), &BorderLabels::inputs);
    const auto captured = [](const Graph &graph) { return graph.captured(); };
    if (!captured(m_before.graph).empty() || !captured(m_now.graph).empty())
        for (Side *side : {&m_before, &m_now})
            for (std::size_t i = 0; i < captured(side->graph).size(); ++i)
                side->border.inputs[captured(side->graph)[i].index] = scramble(0x5000 + i);
    matchBorder(m_before.graph.outputs(), m_now.graph.outputs(), &BorderLabels::outputs);
}

void Matching::matchBorder(std::span<const TensorId> before, std::span<const TensorId> now,
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
    // Tensors without a counterpart get labels of their own.
    for (const TensorId a : before)
        if (left[a.index] == 0)
            left[a.index] = scramble(++number);
    for (const TensorId b : now)
        if (right[b.index] == 0)
            right[b.index] = scramble(++number);
}

bool Matching::sameOperator(NodeId before, NodeId now) const
{
    const Node &a = m_before.graph.node(before), &b = m_now.graph.node(now);
    return a.op == b.op && a.domain == b.domain;
}

bool Matching::sameResults(NodeId before, NodeId now) const
{
    const auto &left = m_before.graph.node(before).outputs, &right = m_now.graph.node(now).outputs;
    if (left.size() != right.size() || left.empty() || !left[0].valid() || !right[0].valid())
        return false;
    const Tensor &x = m_before.graph.tensor(left[0]), &y = m_now.graph.tensor(right[0]);
    return x.type == y.type && x.shape == y.shape;
}

void Matching::match(NodeId before, NodeId now)
{
    m_result.nodeInNow[before.index] = now;
    m_result.nodeInBefore[now.index] = before;
    m_pairs.emplace_back(before, now);
}

std::size_t Matching::matchUnique(const Labels &before, const Labels &now)
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

void Matching::spread(From from, const Accept &accept)
{
    if (from == From::All)
        m_spread = 0;
    for (const auto &[a, b] : m_borders) {
        spreadToReaders(a, b, accept);
        const NodeId p = m_before.graph.producer(a), q = m_now.graph.producer(b);
        if (p.valid() && q.valid() && areFree(p, q) && accept(p, q))
            match(p, q);
    }
    for (; m_spread < m_pairs.size() && !stopped(); ++m_spread) {
        const auto [a, b] = m_pairs[m_spread];
        const Node &before = m_before.graph.node(a), &now = m_now.graph.node(b);
        for (std::size_t i = 0; i < std::min(before.inputs.size(), now.inputs.size()); ++i) {
            if (!before.inputs[i].valid() || !now.inputs[i].valid())
                continue;
            const NodeId p = m_before.graph.producer(before.inputs[i]);
            const NodeId q = m_now.graph.producer(now.inputs[i]);
            if (p.valid() && q.valid() && areFree(p, q) && accept(p, q))
                match(p, q);
        }
        for (std::size_t k = 0; k < std::min(before.outputs.size(), now.outputs.size()); ++k) {
            if (before.outputs[k].valid() && now.outputs[k].valid())
                spreadToReaders(before.outputs[k], now.outputs[k], accept);
        }
    }
}

/// Matches the readers of a tensor by their slots, if there is one candidate on each side.
void Matching::spreadToReaders(TensorId before, TensorId now, const Accept &accept)
{
    constexpr std::size_t mostReaders = 64; // a tensor that all layers read identifies none
    const auto readers = m_before.graph.uses(before);
    const auto others = m_now.graph.uses(now);
    if (readers.size() > mostReaders || others.size() > mostReaders)
        return;
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

Matching::Labels Matching::withAnchors(const Side &side, Labels labels) const
{
    // Both nodes of a pair get a label made of the id in the earlier graph.
    const bool isBefore = &side == &m_before;
    for (const NodeId id : side.graph.order())
        if (side.other[id.index].valid())
            labels[id.index] =
                scramble(0xa0000000ULL + (isBefore ? id.index : side.other[id.index].index));
    return labels;
}

void Matching::matchTensors()
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
    std::ranges::sort(m_pairs, {}, [&](const auto &pair) { return pair.first; });
    for (const auto &[a, b] : m_pairs) {
        const Node &x = m_before.graph.node(a), &y = m_now.graph.node(b);
        for (std::size_t k = 0; k < std::min(x.outputs.size(), y.outputs.size()); ++k)
            align(x.outputs[k], y.outputs[k]);
    }
    for (const auto &[a, b] : m_borders) // outputs that have other producers now
        align(a, b);
    for (const auto &[a, b] : m_pairs) {
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

Alignment Matching::take()
{
    matchTensors();
    return std::move(m_result);
}

} // namespace graphloom
