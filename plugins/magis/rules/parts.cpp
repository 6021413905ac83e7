// SPDX-License-Identifier: Apache-2.0
// Merges calls before and after nodes that join values or take them apart.
#include "plugins/magis/rules/call_groups.h"
#include "plugins/magis/rules/graph_rule.h"
#include "plugins/magis/rules/joined_values.h"
#include "plugins/magis/rules/merge_members.h"

#include <algorithm>

namespace graphloom::magis {

namespace {

Joining joiningOf(const Joint &joint)
{
    return joint.isStack() ? Joining::Stack : Joining::Along;
}

/// Visits all values that a graph takes apart or joins.
template <class Visit> void forEachJoined(const Graph &graph, Visit visit)
{
    for (const NodeId id : graph.order())
        for (const auto &values : {partsOf(graph, id), joinedBy(graph, id)})
            if (values)
                visit(*values);
}

/// Finds, for each reader of the first part, calls like it that read the other parts in the same
/// input slot.
std::vector<std::pair<std::uint32_t, std::vector<NodeId>>> readersOf(const Graph &graph,
                                                                     const JoinedValues &values)
{
    std::vector<std::pair<std::uint32_t, std::vector<NodeId>>> result;
    std::vector<NodeId> used = values.nodes;
    const auto isFree = [&](NodeId id) { return std::ranges::find(used, id) == used.end(); };
    for (const Use &first : graph.uses(values.parts[0])) {
        if (!isFree(first.node))
            continue;
        std::vector<NodeId> calls{first.node};
        for (std::size_t k = 1; k < values.parts.size(); ++k) {
            const auto uses = graph.uses(values.parts[k]);
            const auto same = std::ranges::find_if(uses, [&](const Use &use) {
                return use.slot == first.slot && isFree(use.node) &&
                       std::ranges::find(calls, use.node) == calls.end() &&
                       areAlike(graph, first.node, use.node);
            });
            if (same == uses.end())
                break;
            calls.push_back(same->node);
        }
        if (calls.size() != values.parts.size())
            continue;
        used.insert(used.end(), calls.begin(), calls.end());
        result.push_back({first.slot, std::move(calls)});
    }
    return result;
}

std::vector<NodeId> producersOf(const Graph &graph, const JoinedValues &values)
{
    std::vector<NodeId> calls;
    for (const TensorId part : values.parts) {
        const NodeId producer = graph.producer(part);
        if (!producer.valid() || graph.isOutput(part) || graph.uses(part).size() != 1 ||
            graph.node(producer).outputs.size() != 1 ||
            (!calls.empty() && !areAlike(graph, calls.front(), producer)))
            return {};
        calls.push_back(producer);
    }
    return calls;
}

bool areOutputs(const Graph &graph, const std::vector<TensorId> &values)
{
    return std::ranges::any_of(values, [&](TensorId value) { return graph.isOutput(value); });
}

} // namespace

std::vector<RuleSite> callsOfParts(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    std::vector<RuleSite> sites;
    forEachJoined(graph, [&](const JoinedValues &values) {
        for (const auto &[slot, calls] : readersOf(graph, values)) {
            auto merge = mergeOf(graph, opsets, calls, Merging::Parts, joiningOf(values.joint));
            if (!merge || slot >= merge->inputs.size() || merge->inputs[slot] != values.joint ||
                !areIndependent(graph, calls))
                continue;
            RuleSite site;
            site.nodes = site.calls = calls;
            for (std::size_t i = 0; i < merge->inputs.size(); ++i)
                if (merge->inputs[i] && i != slot)
                    site.joins.push_back(merge->operands(graph, i));
            site.apply = [merge = *std::move(merge)](GraphChange &change) { change.merge(merge); };
            sites.push_back(std::move(site));
        }
    });
    return sites;
}

std::vector<RuleSite> callsBeforeJoining(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const NodeId id : graph.order()) {
        const auto values = joinedBy(graph, id);
        const std::vector<NodeId> calls =
            values ? producersOf(graph, *values) : std::vector<NodeId>();
        if (calls.empty())
            continue;
        auto merge = mergeOf(graph, opsets, calls, Merging::Parts, joiningOf(values->joint));
        if (!merge || merge->outputs.front() != values->joint)
            continue;
        RuleSite site;
        site.nodes = site.calls = calls;
        site.nodes.insert(site.nodes.end(), values->nodes.begin(), values->nodes.end());
        site.apply = [merge = *std::move(merge), between = values->nodes,
                      whole = values->whole](GraphChange &change) {
            change.remove(between);
            change.mergeWhole(merge, whole);
        };
        sites.push_back(std::move(site));
    }
    return sites;
}

std::vector<RuleSite> joinedParts(const Graph &graph, const Opsets &, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const NodeId id : graph.order()) {
        const auto values = joinedBy(graph, id);
        const TensorId whole = values ? wholeOf(graph, values->parts, values->joint) : TensorId();
        if (!whole.valid() || graph.isOutput(values->whole) ||
            graph.tensor(whole).shape != graph.tensor(values->whole).shape)
            continue;
        RuleSite site;
        site.nodes = {id};
        site.apply = [from = values->whole, whole](GraphChange &change) {
            change.replace(from, whole);
        };
        sites.push_back(std::move(site));
    }
    return sites;
}

std::vector<RuleSite> dividedWholes(const Graph &graph, const Opsets &, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const NodeId id : graph.order()) {
        const auto apart = partsOf(graph, id);
        const NodeId producer = apart ? graph.producer(apart->whole) : NodeId();
        const auto together = producer.valid() ? joinedBy(graph, producer) : std::nullopt;
        if (!together || apart->joint != together->joint || areOutputs(graph, apart->parts) ||
            !std::ranges::equal(apart->parts, together->parts, [&](TensorId a, TensorId b) {
                return graph.tensor(a).shape == graph.tensor(b).shape;
            }))
            continue;
        RuleSite site;
        site.nodes = {id};
        site.apply = [from = apart->parts, to = together->parts](GraphChange &change) {
            for (std::size_t k = 0; k < from.size(); ++k)
                change.replace(from[k], to[k]);
        };
        sites.push_back(std::move(site));
    }
    return sites;
}

} // namespace graphloom::magis
