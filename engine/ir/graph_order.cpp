// SPDX-License-Identifier: Apache-2.0
// Keeps a graph's nodes in topological order during edits.
#include "engine/ir/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace graphloom {

namespace {

/// Calls visit(writer's position, reader's position) for every edge of a node against the order.
template <class Visit> void forEachReversed(const Graph &graph, NodeId id, Visit visit)
{
    const Node &node = graph.node(id);
    const std::uint32_t here = graph.position(id);
    forEachRead(node, [&](TensorId input, std::uint32_t) {
        const NodeId before = graph.producer(input);
        if (before.valid() && graph.position(before) >= here)
            visit(graph.position(before), here);
    });
    for (const TensorId output : node.outputs)
        if (output.valid())
            for (const Use &use : graph.uses(output))
                if (graph.position(use.node) <= here)
                    visit(here, graph.position(use.node));
}

/// Sorts the nodes between the two ends of edges against the order, by Kahn's algorithm; among the
/// ready nodes, the first one in the old order comes next. In this range, a node waits for the
/// writer of such an edge or for another waiting node, so the edges of all other nodes need not be
/// visited.
class RangeSort {
public:
    /// Takes a range of the graph's order, beginning at position `first`.
    RangeSort(const Graph &graph, std::span<const NodeId> range, std::uint32_t first)
        : m_graph(graph), m_range(range), m_first(first), m_marks(range.size(), 0),
          m_waiting(range.size(), 0)
    {
        m_sorted.reserve(range.size());
    }

    /// Returns the sorted nodes; on a cycle, these are not all. `writers` are the positions of
    /// nodes that write for an earlier one.
    const std::vector<NodeId> &sort(std::span<const std::uint32_t> writers)
    {
        for (const std::uint32_t writer : writers)
            awaitWriter(writer - m_first);
        for (; m_here < m_range.size(); ++m_here) {
            takeReady();
            if (m_waiting[m_here] == 0) {
                take(m_here);
            } else {
                m_marks[m_here] |= Waits;
                forEachReader(m_here,
                              [&](std::uint32_t reader) { m_waiting[reader] += reader > m_here; });
            }
        }
        takeReady();
        return m_sorted;
    }

    /// Returns a node on a cycle, after sort() has found that there is one. Every waiting node has
    /// a waiting predecessor, so following predecessors ends on a cycle; the first node found may
    /// only be downstream of it.
    NodeId nodeOnCycle() const
    {
        const auto isStuck = [&](NodeId id) {
            const std::uint32_t place = m_graph.position(id) - m_first; // wraps before the range
            return place < m_range.size() && m_waiting[place] > 0;
        };
        NodeId id = *std::ranges::find_if(m_range, isStuck);
        std::vector<bool> seen(m_graph.nodeBound(), false);
        while (!seen[id.index]) {
            seen[id.index] = true;
            const auto before = m_graph.predecessors(id);
            id = *std::ranges::find_if(before, isStuck);
        }
        return id;
    }

private:
    enum Mark : std::uint8_t { WritesBack = 1, Waits = 2 };

    template <class Visit> void forEachReader(std::uint32_t place, Visit visit) const
    {
        for (const TensorId output : m_graph.node(m_range[place]).outputs)
            for (const Use &use : output.valid() ? m_graph.uses(output) : std::span<const Use>())
                if (const auto reader = m_graph.position(use.node);
                    reader < m_first + m_range.size())
                    visit(reader - m_first);
    }

    /// Makes the readers before a node wait for it.
    void awaitWriter(std::uint32_t place)
    {
        if (m_marks[place] & WritesBack)
            return;
        m_marks[place] |= WritesBack;
        forEachReader(place, [&](std::uint32_t reader) { m_waiting[reader] += reader <= place; });
    }

    void take(std::uint32_t place)
    {
        m_sorted.push_back(m_range[place]);
        if (!m_marks[place])
            return;
        forEachReader(place, [&](std::uint32_t reader) {
            const auto mark = reader <= place ? WritesBack : Waits;
            if ((m_marks[place] & mark) && --m_waiting[reader] == 0 && reader < m_here)
                m_ready.push(reader);
        });
    }

    void takeReady()
    {
        while (!m_ready.empty()) {
            const std::uint32_t place = m_ready.top();
            m_ready.pop();
            take(place);
        }
    }

    const Graph &m_graph;
    const std::span<const NodeId> m_range;
    const std::uint32_t m_first;
    // Both are indexed by positions in the range.
    std::vector<std::uint8_t> m_marks;
    std::vector<std::uint32_t> m_waiting; // for how many reads
    std::vector<NodeId> m_sorted;
    std::uint32_t m_here = 0;
    // Positions before m_here whose nodes no longer wait.
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_ready;
};

} // namespace

/// Returns the order for writing.
Graph::Order &GraphEditor::order()
{
    // The owners are this editor and m_graph; any others are copies of graph().
    if (!m_order || m_order.use_count() > 2) {
        constexpr std::size_t few = 16; // nodes that an edit adds before the lists are copied again
        m_order = std::make_shared<Graph::Order>();
        if (const auto &old = m_graph.m_order) {
            const auto copy = [](auto &to, const auto &from) {
                to.reserve(from.size() + few);
                to.assign(from.begin(), from.end());
            };
            copy(m_order->nodes, old->nodes);
            copy(m_order->position, old->position);
        }
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
        return defect("an execution order must contain every node exactly once");
    Graph::Order &order = this->order();
    order.nodes = std::move(wanted);
    for (std::uint32_t i = 0; i < order.nodes.size(); ++i)
        order.position[order.nodes[i].index] = i;
    m_removed.clear();
    m_reordered = true;
}

bool GraphEditor::inOrder(NodeId id) const
{
    bool ordered = true;
    forEachReversed(m_graph, id, [&](std::uint32_t, std::uint32_t) { ordered = false; });
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

/// Restores a topological order with as few changes as possible.
Result<void> GraphEditor::arrange()
{
    if (!m_removed.empty()) {
        // Looking up which nodes are still there would take longer than all the rest of an edit.
        auto &[nodes, position] = order();
        std::uint32_t first = ~std::uint32_t{0};
        for (const NodeId id : m_removed) {
            first = std::min(first, position[id.index]);
            nodes[position[id.index]] = {};
        }
        nodes.erase(std::remove(nodes.begin() + first, nodes.end(), NodeId{}), nodes.end());
        for (std::uint32_t i = first; i < nodes.size(); ++i)
            position[nodes[i].index] = i;
    }
    const std::vector<NodeId> &suspects = m_reordered ? order().nodes : m_touched;
    std::vector<NodeId> misplaced;
    std::ranges::copy_if(suspects, std::back_inserter(misplaced),
                         [&](NodeId id) { return !inOrder(id); });
    // Enough for a new node that replaces an old one; many nodes are sorted faster at once.
    constexpr std::size_t few = 8;
    if (misplaced.size() <= few) {
        std::ranges::for_each(misplaced, [&](NodeId id) { moveBehindProducers(id); });
        if (std::ranges::all_of(misplaced, [&](NodeId id) { return inOrder(id); }))
            return {};
    }
    return sort();
}

/// Moves only nodes between the two ends of edges against the order: for the others, the order of
/// Kahn's algorithm is the old one, as earlier nodes are ready first and later ones wait for all of
/// these.
Result<void> GraphEditor::sort()
{
    auto &[nodes, position] = order();
    std::uint32_t first = ~std::uint32_t{0}, last = 0;
    std::vector<std::uint32_t> writers;
    for (const NodeId id : m_reordered ? nodes : m_touched)
        forEachReversed(m_graph, id, [&](std::uint32_t writer, std::uint32_t reader) {
            first = std::min(first, reader);
            last = std::max(last, writer);
            writers.push_back(writer);
        });
    if (first > last)
        return {};
    const std::span<NodeId> range(nodes.begin() + first, nodes.begin() + last + 1);
    RangeSort rangeSort(m_graph, range, first);
    const std::vector<NodeId> &sorted = rangeSort.sort(writers);
    if (sorted.size() != range.size())
        return fail(Error::Kind::Model, "the graph has a cycle",
                    m_graph.node(rangeSort.nodeOnCycle()).label());
    std::ranges::copy(sorted, range.begin());
    for (std::uint32_t i = first; i <= last; ++i)
        position[nodes[i].index] = i;
    return {};
}

} // namespace graphloom
