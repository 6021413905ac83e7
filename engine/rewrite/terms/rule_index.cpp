// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/rule_index.h"

#include <algorithm>
#include <numeric>

namespace graphloom {

RuleIndex::RuleIndex(std::span<const Rule> rules)
{
    for (const Rule &rule : rules)
        for (const Pattern &pattern : rule.patterns) {
            mention(pattern);
            m_depth = std::max(m_depth, pattern.depth());
            for (const std::string &op : pattern->ops)
                m_byOperator.try_emplace(op);
        }
    for (const Rule &rule : rules)
        for (const Pattern &pattern : rule.patterns) {
            if (pattern->ops.empty()) {
                m_anywhere.push_back({&rule, &pattern});
                for (auto &[op, entries] : m_byOperator)
                    entries.push_back({&rule, &pattern});
            }
            for (const std::string &op : pattern->ops)
                m_byOperator[op].push_back({&rule, &pattern});
        }
}

void RuleIndex::mention(const Pattern &pattern)
{
    m_mentioned.insert(pattern->ops.begin(), pattern->ops.end());
    for (const Pattern &input : pattern->inputs)
        mention(input);
}

std::vector<std::vector<NodeId>> regionsOf(const Graph &graph, const RuleIndex &rules)
{
    std::vector<std::uint32_t> parent(graph.nodeBound());
    std::iota(parent.begin(), parent.end(), 0u);
    const auto root = [&](std::uint32_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    std::vector<bool> inside(graph.nodeBound(), false);
    for (const NodeId id : graph.order())
        inside[id.index] = rules.mentions(graph.node(id));
    for (const NodeId id : graph.order())
        if (inside[id.index])
            for (const NodeId before : graph.predecessors(id))
                if (inside[before.index])
                    parent[root(id.index)] = root(before.index);
    std::vector<std::vector<NodeId>> regions;
    std::vector<std::uint32_t> regionOf(graph.nodeBound(), ~0u);
    for (const NodeId id : graph.order()) {
        std::uint32_t &region = regionOf[root(id.index)];
        if (region == ~0u) {
            region = std::uint32_t(regions.size());
            regions.emplace_back();
        }
        regions[region].push_back(id);
    }
    return regions;
}

} // namespace graphloom
