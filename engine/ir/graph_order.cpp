// SPDX-License-Identifier: Apache-2.0
// How a graph's nodes are kept in a topological order under edits.
#include "engine/ir/graph.h"

#include <algorithm>
#include <queue>

namespace graphloom {

/// The order, to write to.
Graph::Order &GraphEditor::order()
{
    // Held here and by m_graph; more owners are copies that were made of graph().
    if (!m_order || m_order.use_count() > 2) {
        m_order = m_graph.m_order ? std::make_shared<Graph::Order>(*m_graph.m_order)
                                  : std::make_shared<Graph::Order>();
        m_graph.m_order = m_order;
    }
    return *m_order;
}

void GraphEditor::setOrder(std::vector<NodeId> wanted)
{
    auto sorted = wanted;
    std::sort(sorted.begin(), sorted.end());
    std::vector<NodeId> present(m_graph.order().begin(), m_graph.order().end());
    std::erase_if(present, [&](NodeId id) { return !m_graph.contains(id); });
    std::sort(present.begin(), present.end());
    if (sorted != present)
        return defect("an execution order must hold every node once");
    Graph::Order &order = this->order();
    order.nodes = std::move(wanted);
    for (std::uint32_t i = 0; i < order.nodes.size(); ++i)
        order.position[order.nodes[i].index] = i;
    m_removed = false;
    m_reordered = true;
}

bool GraphEditor::inOrder(NodeId id) const
{
    const Node &node = m_graph.node(id);
    const std::uint32_t here = m_graph.position(id);
    bool ordered = true;
    forEachRead(node, [&](TensorId input, std::uint32_t) {
        const NodeId before = m_graph.producer(input);
        ordered = ordered && (!before.valid() || m_graph.position(before) < here);
    });
    for (const TensorId output : node.outputs)
        if (output.valid())
            for (const Use &use : m_graph.uses(output))
                ordered = ordered && m_graph.position(use.node) > here;
    return ordered;
}

void GraphEditor::moveBehindProducers(NodeId id)
{
    std::uint32_t target = 0;
    forEachRead(m_graph.node(id), [&](TensorId input, std::uint32_t) {
        if (const NodeId before = m_graph.producer(input); before.valid())
            target = std::max(target, m_graph.position(before) + 1);
    });
    const std::uint32_t here = m_graph.position(id);
    if (target >= here)
        return;
    auto &[nodes, position] = order();
    std::rotate(nodes.begin() + target, nodes.begin() + here, nodes.begin() + here + 1);
    for (std::uint32_t i = target; i <= here; ++i)
        position[nodes[i].index] = i;
}

/// Makes the order topological again, changing it as little as possible.
Result<void> GraphEditor::arrange()
{
    if (m_removed) {
        auto &[nodes, position] = order();
        std::erase_if(nodes, [&](NodeId id) { return !m_graph.contains(id); });
        for (std::uint32_t i = 0; i < nodes.size(); ++i)
            position[nodes[i].index] = i;
    }
    const std::vector<NodeId> &suspects = m_reordered ? order().nodes : m_touched;
    std::vector<NodeId> misplaced;
    std::ranges::copy_if(suspects, std::back_inserter(misplaced),
                         [&](NodeId id) { return !inOrder(id); });
    // Enough for a new node that replaces an old one; many are quicker sorted at once.
    constexpr std::size_t few = 8;
    if (misplaced.size() <= few) {
        std::ranges::for_each(misplaced, [&](NodeId id) { moveBehindProducers(id); });
        if (std::ranges::all_of(misplaced, [&](NodeId id) { return inOrder(id); }))
            return {};
    }
    return sort();
}

/// Kahn's algorithm; of the nodes that are ready the one that stood first goes first.
Result<void> GraphEditor::sort()
{
    auto &[nodes, position] = order();
    std::vector<std::uint32_t> waiting(m_graph.nodeBound(), 0);
    const auto later = [&](NodeId a, NodeId b) {
        return m_graph.position(a) > m_graph.position(b);
    };
    std::priority_queue<NodeId, std::vector<NodeId>, decltype(later)> ready(later);
    for (const NodeId id : nodes) {
        waiting[id.index] = std::uint32_t(m_graph.predecessors(id).size());
        if (waiting[id.index] == 0)
            ready.push(id);
    }
    std::vector<NodeId> sorted;
    sorted.reserve(nodes.size());
    while (!ready.empty()) {
        const NodeId id = ready.top();
        ready.pop();
        sorted.push_back(id);
        for (const NodeId next : m_graph.successors(id))
            if (--waiting[next.index] == 0)
                ready.push(next);
    }
    if (sorted.size() != nodes.size()) {
        // Every node that still waits has a predecessor that waits: following those ends on a
        // cycle, whereas the first one found may only lie behind it.
        const auto stuck = [&](NodeId id) { return waiting[id.index] > 0; };
        NodeId id = *std::ranges::find_if(nodes, stuck);
        std::vector<bool> seen(m_graph.nodeBound(), false);
        while (!seen[id.index]) {
            seen[id.index] = true;
            const auto before = m_graph.predecessors(id);
            id = *std::ranges::find_if(before, stuck);
        }
        return fail(Error::Kind::Model, "the graph has a cycle", m_graph.node(id).label());
    }
    nodes = std::move(sorted);
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
        position[nodes[i].index] = i;
    return {};
}

} // namespace graphloom
