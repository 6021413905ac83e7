// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/replacement_origins.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace graphloom {

namespace {

/// Disjoint sets of numbers that can be merged.
class NumberSets {
public:
    explicit NumberSets(std::size_t count) : m_parent(count)
    {
        std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
    }
    std::size_t of(std::size_t number)
    {
        while (m_parent[number] != number)
            number = m_parent[number] = m_parent[m_parent[number]];
        return number;
    }
    void join(std::size_t a, std::size_t b) { m_parent[of(a)] = of(b); }

private:
    std::vector<std::size_t> m_parent;
};

} // namespace

void giveOrigins(std::vector<Node> &added, const Graph &before, std::span<const NodeId> removed,
                 std::span<const std::pair<TensorId, TensorId>> equal)
{
    std::vector<const Node *> nodes;
    for (const NodeId id : removed)
        nodes.push_back(&before.node(id));
    for (const Node &node : added)
        nodes.push_back(&node);
    NumberSets sets(nodes.size());
    std::unordered_map<TensorId, std::size_t> writers;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        for (const TensorId output : nodes[i]->outputs)
            if (output.valid())
                if (const auto [writer, first] = writers.try_emplace(output, i); !first)
                    sets.join(i, writer->second);
    for (const auto &[tensor, value] : equal)
        if (const auto a = writers.find(tensor), b = writers.find(value);
            a != writers.end() && b != writers.end())
            sets.join(a->second, b->second);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        forEachRead(*nodes[i], [&](TensorId input, std::uint32_t) {
            if (const auto writer = writers.find(input); writer != writers.end())
                sets.join(i, writer->second);
        });
    std::unordered_map<std::size_t, std::vector<NodeId>> parts;
    for (std::size_t i = 0; i < removed.size(); ++i)
        parts[sets.of(i)].push_back(removed[i]);
    for (std::size_t i = 0; i < added.size(); ++i) {
        if (!added[i].origins.empty())
            continue;
        const auto part = parts.find(sets.of(removed.size() + i));
        added[i].origins = originsOf(
            before, part != parts.end() ? std::span<const NodeId>(part->second) : removed);
    }
}

} // namespace graphloom
