// SPDX-License-Identifier: Apache-2.0
// Merges terms in sums of sums of products: f(a, c) + f(b, d).
#include "plugins/magis/rules/call_groups.h"
#include "plugins/magis/rules/graph_rule.h"

#include "engine/ops/algebra/algebra.h"

#include <algorithm>
#include <ranges>

namespace graphloom::magis {

namespace {

/// Describes a sum of values of one shape, written as binary additions. Partial sums have no other
/// reader.
struct Sum {
    std::vector<NodeId> adds; // the last one computes the sum
    std::vector<TensorId> terms;
};

/// Tells whether a value is an output or is not read exactly once.
bool isRead(const Graph &graph, TensorId value)
{
    return graph.uses(value).size() != 1 || graph.isOutput(value);
}

class Sums {
public:
    Sums(const Graph &graph, const Opsets &opsets)
        : m_graph(graph), m_isAdd(graph.nodeBound(), false)
    {
        for (const NodeId id : graph.order())
            m_isAdd[id.index] = adds(id, opsets);
    }

    /// Returns all sums, larger ones first; without `parts`, none that are parts of others.
    std::vector<Sum> all(bool parts) const
    {
        std::vector<Sum> sums;
        for (const NodeId id : m_graph.order() | std::views::reverse) {
            if (!m_isAdd[id.index])
                continue;
            const TensorId result = m_graph.node(id).outputs[0];
            if (!parts && !isRead(m_graph, result) && m_isAdd[m_graph.uses(result)[0].node.index])
                continue;
            Sum sum;
            gather(id, sum);
            sums.push_back(std::move(sum));
        }
        return sums;
    }

private:
    bool adds(NodeId id, const Opsets &opsets) const
    {
        const Node &node = m_graph.node(id);
        if (node.inputs.size() != 2 || node.outputs.size() != 1 || node.inputs[0] == node.inputs[1])
            return false;
        for (const TensorId value : node.inputs)
            if (!value.valid() || !m_graph.tensor(value).shape ||
                m_graph.tensor(value).shape != m_graph.tensor(node.outputs[0]).shape)
                return false;
        const auto description = describe(m_graph, id, opsets);
        const auto elementwise = description ? elementwiseOf(*description) : std::nullopt;
        return elementwise && elementwise->function() == Fn::Add;
    }

    void gather(NodeId add, Sum &sum) const
    {
        for (const TensorId value : m_graph.node(add).inputs) {
            const NodeId producer = m_graph.producer(value);
            if (producer.valid() && m_isAdd[producer.index] && !isRead(m_graph, value))
                gather(producer, sum);
            else
                sum.terms.push_back(value);
        }
        sum.adds.push_back(add);
    }

    const Graph &m_graph;
    std::vector<bool> m_isAdd;
};

/// Adds up the values with calls like the given one; the sum is `result`.
void addUp(GraphChange &change, const Node &like, std::vector<TensorId> values, TensorId result)
{
    TensorId sum = values.front();
    for (std::size_t k = 1; k < values.size(); ++k) {
        Node node = like;
        node.inputs = {sum, values[k]};
        sum = change.call(std::move(node), k + 1 == values.size() ? result : TensorId());
    }
}

/// Returns the terms of a sum that are not results of the calls.
std::vector<TensorId> others(const Graph &graph, const Sum &sum, const std::vector<NodeId> &calls)
{
    std::vector<TensorId> rest;
    for (const TensorId term : sum.terms)
        if (std::ranges::find(calls, graph.producer(term)) == calls.end())
            rest.push_back(term);
    return rest;
}

RuleSite siteOf(const Graph &graph, const Sum &sum, const CallMerge &merge)
{
    RuleSite site;
    site.nodes = site.calls = merge.calls;
    site.nodes.insert(site.nodes.end(), sum.adds.begin(), sum.adds.end());
    for (std::size_t i = 0; i < merge.inputs.size(); ++i)
        if (merge.inputs[i])
            site.joins.push_back(merge.operands(graph, i));
    std::vector<TensorId> rest = others(graph, sum, merge.calls);
    if (!rest.empty())
        site.afterwards = {"regroup-sums"};
    const Node last = graph.node(sum.adds.back());
    site.apply = [merge, rest, adds = sum.adds, last](GraphChange &change) {
        change.remove(adds);
        if (rest.empty()) {
            change.mergeWhole(merge, last.outputs[0]);
            return;
        }
        std::vector<TensorId> terms = rest;
        terms.push_back(change.mergeWhole(merge));
        addUp(change, last, terms, last.outputs[0]);
    };
    return site;
}

/// Returns the contractions whose results are read only as terms of the sum.
std::vector<NodeId> callsOf(const Graph &graph, const Sum &sum,
                            const std::vector<bool> &contractions)
{
    std::vector<NodeId> calls;
    for (const TensorId term : sum.terms) {
        const NodeId producer = graph.producer(term);
        if (producer.valid() && contractions[producer.index] && !isRead(graph, term) &&
            graph.node(producer).outputs.size() == 1)
            calls.push_back(producer);
    }
    return calls;
}

template <class Visit>
void forEachMerge(const Graph &graph, const Opsets &opsets, Joining joining, bool parts,
                  Visit visit)
{
    const std::vector<bool> contractions = contractionsOf(graph, opsets);
    for (const Sum &sum : Sums(graph, opsets).all(parts))
        for (const auto &alike : alikeGroups(graph, callsOf(graph, sum, contractions)))
            for (const CallMerge &merge : mergesOf(graph, opsets, alike, Merging::Sum, joining))
                visit(sum, merge);
}

std::vector<RuleSite> sitesOf(const Graph &graph, const Opsets &opsets, Joining joining,
                              const UsesRule &uses)
{
    std::vector<RuleSite> sites;
    const bool asTheyAre = !uses("regroup-sums");
    forEachMerge(graph, opsets, joining, asTheyAre, [&](const Sum &sum, const CallMerge &merge) {
        RuleSite site = siteOf(graph, sum, merge);
        if (std::ranges::all_of(site.afterwards, uses))
            sites.push_back(std::move(site));
    });
    return sites;
}

} // namespace

std::vector<RuleSite> stacksOfSums(const Graph &graph, const Opsets &opsets, const UsesRule &uses)
{
    return sitesOf(graph, opsets, Joining::Stack, uses);
}

std::vector<RuleSite> concatenationsOfSums(const Graph &graph, const Opsets &opsets,
                                           const UsesRule &uses)
{
    return sitesOf(graph, opsets, Joining::Along, uses);
}

std::vector<RuleSite> sumsToRegroup(const Graph &graph, const Opsets &opsets, const UsesRule &)
{
    std::vector<RuleSite> sites;
    for (const Joining joining : {Joining::Stack, Joining::Along})
        forEachMerge(graph, opsets, joining, false, [&](const Sum &sum, const CallMerge &merge) {
            std::vector<TensorId> rest = others(graph, sum, merge.calls), together;
            for (const NodeId call : merge.calls)
                together.push_back(graph.node(call).outputs[0]);
            if (rest.empty())
                return;
            const Node last = graph.node(sum.adds.back());
            RuleSite site;
            site.nodes = sum.adds;
            site.apply = [rest, together, last, adds = sum.adds](GraphChange &change) {
                change.remove(adds);
                Node node = last;
                TensorId grouped = together.front();
                for (std::size_t k = 1; k < together.size(); ++k) {
                    node.inputs = {grouped, together[k]};
                    grouped = change.call(node);
                }
                std::vector<TensorId> terms = rest;
                terms.push_back(grouped);
                addUp(change, last, terms, last.outputs[0]);
            };
            sites.push_back(std::move(site));
        });
    return sites;
}

} // namespace graphloom::magis
