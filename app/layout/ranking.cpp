// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/layout/ranking.h"

#include "app/layout/adjacency.h"

#include <cassert>

namespace graphloom::layout {

namespace {

/// More rounds change little, since slack moves at least one node further per round.
constexpr int tighteningRounds = 12;

std::vector<std::uint32_t> topologicalOrder(std::size_t nodes, const std::vector<Edge> &edges,
                                            const Adjacency &out)
{
    std::vector<std::uint32_t> missing(nodes, 0), order;
    order.reserve(nodes);
    for (const Edge &edge : edges)
        ++missing[edge.target];
    for (std::uint32_t v = 0; v < nodes; ++v)
        if (missing[v] == 0)
            order.push_back(v);
    for (std::size_t next = 0; next < order.size(); ++next)
        for (const std::uint32_t e : out.of(order[next]))
            if (--missing[edges[e].target] == 0)
                order.push_back(edges[e].target);
    assert(order.size() == nodes && "edges must be acyclic");
    return order;
}

} // namespace

std::vector<Edge> withoutCycles(std::size_t nodes, const std::vector<Edge> &edges,
                                std::vector<bool> *turned)
{
    enum class State : std::uint8_t { New, Open, Done };
    const Adjacency out(nodes, edges, &Edge::source);
    std::vector<Edge> result = edges;
    std::vector<State> states(nodes, State::New);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack; // node, next edge
    if (turned)
        turned->assign(edges.size(), false);
    for (std::uint32_t start = 0; start < nodes; ++start) {
        if (states[start] != State::New)
            continue;
        stack.emplace_back(start, 0);
        states[start] = State::Open;
        while (!stack.empty()) {
            const std::uint32_t v = stack.back().first;
            const auto next = out.of(v);
            if (stack.back().second == next.size()) {
                states[v] = State::Done;
                stack.pop_back();
                continue;
            }
            const std::uint32_t e = next[stack.back().second++];
            const std::uint32_t w = edges[e].target;
            if (states[w] == State::Open) {
                std::swap(result[e].source, result[e].target);
                if (turned)
                    (*turned)[e] = true;
            } else if (states[w] == State::New) {
                states[w] = State::Open;
                stack.emplace_back(w, 0);
            }
        }
    }
    return result;
}

std::vector<std::uint32_t> rankNodes(std::size_t nodes, const std::vector<Edge> &edges,
                                     const std::vector<Pin> &pins)
{
    const Adjacency out(nodes, edges, &Edge::source);
    const Adjacency in(nodes, edges, &Edge::target);
    const auto order = topologicalOrder(nodes, edges, out);
    const auto pinOf = [&](std::uint32_t v) { return pins.empty() ? Pin::Free : pins[v]; };
    const bool anyFirst = std::count(pins.begin(), pins.end(), Pin::First) > 0;
    const bool anyLast = std::count(pins.begin(), pins.end(), Pin::Last) > 0;

    std::vector<std::uint32_t> rank(nodes, 0);
    std::uint32_t highest = 0;
    for (const std::uint32_t v : order) {
        if (pinOf(v) == Pin::First)
            continue;
        rank[v] = anyFirst ? 1 : 0;
        for (const std::uint32_t e : in.of(v))
            rank[v] = std::max(rank[v], rank[edges[e].source] + 1);
        highest = std::max(highest, pinOf(v) == Pin::Last ? rank[v] : rank[v] + (anyLast ? 1 : 0));
    }
    for (std::uint32_t v = 0; v < nodes; ++v)
        if (pinOf(v) == Pin::Last)
            rank[v] = highest;

    // A node with more edges on one side moves to that side as far as possible: each step shortens
    // the total edge length by the difference. A node with as many on both sides gains nothing, but
    // a move down makes room for the nodes above.
    for (int round = 0; round < tighteningRounds; ++round) {
        bool moved = false;
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            const std::uint32_t v = *it;
            if (pinOf(v) != Pin::Free || out.of(v).empty() ||
                in.of(v).size() > out.of(v).size())
                continue;
            std::uint32_t lowest = ~std::uint32_t{0};
            for (const std::uint32_t e : out.of(v))
                lowest = std::min(lowest, rank[edges[e].target] - 1);
            if (in.of(v).size() == out.of(v).size() && round == 0)
                continue;
            if (lowest > rank[v]) {
                rank[v] = lowest;
                moved = true;
            }
        }
        for (const std::uint32_t v : order) {
            if (pinOf(v) != Pin::Free || in.of(v).size() <= out.of(v).size())
                continue;
            std::uint32_t least = 0;
            for (const std::uint32_t e : in.of(v))
                least = std::max(least, rank[edges[e].source] + 1);
            if (least < rank[v]) {
                rank[v] = least;
                moved = true;
            }
        }
        if (!moved && round > 0)
            break;
    }
    // Moving down may have left the first ranks empty; drop them unless nodes are pinned there.
    if (!anyFirst && nodes > 0) {
        const std::uint32_t least = *std::min_element(rank.begin(), rank.end());
        for (std::uint32_t &r : rank)
            r -= least;
    }
    return rank;
}

} // namespace graphloom::layout
