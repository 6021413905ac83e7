// SPDX-License-Identifier: Apache-2.0
// Merges sums of products that share an operand: f(x, a), f(x, b).
#include "plugins/magis/rules/call_groups.h"
#include "plugins/magis/rules/graph_rule.h"

#include <algorithm>
#include <set>

namespace graphloom::magis {

namespace {

/// Groups independent, alike contractions that read a value in the same input slot.
std::vector<std::vector<NodeId>> readersAlike(const Graph &graph, TensorId value,
                                              const std::vector<bool> &contractions)
{
    std::map<std::uint32_t, std::vector<NodeId>> bySlot;
    for (const Use &use : graph.uses(value))
        if (contractions[use.node.index])
            bySlot[use.slot].push_back(use.node);
    std::vector<std::vector<NodeId>> result;
    for (const auto &[slot, readers] : bySlot)
        for (const auto &alike : alikeGroups(graph, readers))
            for (auto &group : independentGroups(graph, alike))
                result.push_back(std::move(group));
    return result;
}

RuleSite siteOf(const Graph &graph, CallMerge merge)
{
    RuleSite site;
    site.nodes = site.calls = merge.calls;
    for (std::size_t i = 0; i < merge.inputs.size(); ++i)
        if (merge.inputs[i])
            site.joins.push_back(merge.operands(graph, i));
    site.apply = [merge = std::move(merge)](GraphChange &change) { change.merge(merge); };
    return site;
}

std::vector<RuleSite> sitesOf(const Graph &graph, const Opsets &opsets, Joining joining)
{
    const std::vector<bool> contractions = contractionsOf(graph, opsets);
    std::vector<RuleSite> sites;
    std::set<TensorId> seen;
    for (const NodeId id : graph.order())
        for (const TensorId value : graph.node(id).inputs) {
            if (!contractions[id.index] || !value.valid() || !seen.insert(value).second)
                continue;
            for (const auto &group : readersAlike(graph, value, contractions))
                for (CallMerge &merge : mergesOf(graph, opsets, group, Merging::Parts, joining))
                    sites.push_back(siteOf(graph, std::move(merge)));
        }
    return sites;
}

} // namespace

std::vector<RuleSite> stacksOfSharing(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    return sitesOf(graph, opsets, Joining::Stack);
}

std::vector<RuleSite> concatenationsOfSharing(const Graph &graph, const Opsets &opsets,
                                              const UsesRule &)
{
    return sitesOf(graph, opsets, Joining::Along);
}

} // namespace graphloom::magis
