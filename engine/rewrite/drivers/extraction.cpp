// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/drivers/extraction.h"

#include <algorithm>

namespace graphloom {

namespace {

class Walk {
public:
    Walk(const EGraph &graph, const Selection &selection, std::vector<NodeId> *order)
        : m_graph(graph), m_selection(selection), m_order(order), m_class(graph.tensorBound()),
          m_call(graph.nodeBound())
    {
    }

    bool visit(TensorId value)
    {
        if (!value.valid())
            return true;
        value = m_graph.canonical(value);
        if (m_graph.isGiven(value) || m_class[value.index] == Done)
            return true;
        const NodeId id = m_selection[value.index];
        if (m_class[value.index] == Open || !id.valid() || m_call[id.index] == Open)
            return false;
        m_class[value.index] = Open;
        if (m_call[id.index] == Unseen) {
            m_call[id.index] = Open;
            for (const TensorId input : m_graph.node(id).inputs)
                if (!visit(input))
                    return false;
            m_call[id.index] = Done;
            cost += m_graph.facts(id).cost;
            if (m_order)
                m_order->push_back(id);
        }
        m_class[value.index] = Done;
        return true;
    }

    Cost cost;

private:
    enum State : std::uint8_t { Unseen, Open, Done };

    const EGraph &m_graph;
    const Selection &m_selection;
    std::vector<NodeId> *m_order;
    std::vector<State> m_class, m_call;
};

/// Selects for each class the call with the cheapest tree of calls.
Selection cheapestTrees(const EGraph &graph)
{
    Selection selection(graph.tensorBound());
    std::vector<std::optional<Cost>> best(graph.tensorBound());
    for (bool changed = true; changed;) {
        changed = false;
        for (std::uint32_t i = 0; i < graph.nodeBound(); ++i) {
            const NodeId id{i};
            if (graph.isGone(id))
                continue;
            Cost cost = graph.facts(id).cost;
            bool known = true;
            for (const TensorId input : graph.node(id).inputs) {
                if (!input.valid() || graph.isGiven(input))
                    continue;
                const auto &part = best[graph.canonical(input).index];
                known = known && part;
                if (part)
                    cost += *part;
            }
            if (!known)
                continue;
            for (const TensorId output : graph.node(id).outputs) {
                const auto at = graph.canonical(output).index;
                if (!best[at] || cost < *best[at]) {
                    best[at] = cost;
                    selection[at] = id;
                    changed = true;
                }
            }
        }
    }
    return selection;
}

/// Improves the selection by changing one class at a time.
void improve(const EGraph &graph, Selection &selection, const std::vector<TensorId> &wanted)
{
    std::size_t attempts = 2000;
    std::vector<NodeId> order;
    auto best = costOf(graph, selection, wanted, &order);
    for (bool changed = best.has_value(); changed && attempts > 0;) {
        changed = false;
        for (const NodeId used : std::vector<NodeId>(order))
            for (const TensorId output : graph.node(used).outputs) {
                const TensorId value = graph.canonical(output);
                for (std::size_t i = 0; i < graph.producerCount(value) && attempts > 0; ++i) {
                    const NodeId before = selection[value.index];
                    if (graph.producer(value, i) == before)
                        continue;
                    --attempts;
                    selection[value.index] = graph.producer(value, i);
                    std::vector<NodeId> other;
                    const auto cost = costOf(graph, selection, wanted, &other);
                    if (cost && *cost < *best) {
                        best = cost;
                        order = std::move(other);
                        changed = true;
                    } else {
                        selection[value.index] = before;
                    }
                }
            }
    }
}

} // namespace

std::optional<Cost> costOf(const EGraph &graph, const Selection &selection,
                           const std::vector<TensorId> &wanted, std::vector<NodeId> *order)
{
    Walk walk(graph, selection, order);
    for (const TensorId value : wanted)
        if (!walk.visit(value))
            return std::nullopt;
    return walk.cost;
}

Selection cheapestSelection(const EGraph &graph, Selection given,
                            const std::vector<TensorId> &wanted)
{
    Selection trees = cheapestTrees(graph);
    // A replacement of a call may need classes that are missing in the given selection.
    for (std::size_t i = 0; i < trees.size(); ++i)
        if (!given[i].valid())
            given[i] = trees[i];
    improve(graph, given, wanted);
    improve(graph, trees, wanted);
    const auto first = costOf(graph, given, wanted), second = costOf(graph, trees, wanted);
    return second && (!first || *second < *first) ? trees : given;
}

} // namespace graphloom
