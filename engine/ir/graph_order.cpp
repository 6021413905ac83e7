// SPDX-License-Identifier: Apache-2.0
// How a graph's nodes are kept in a topological order under edits.
#include "engine/ir/graph.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace graphloom {

namespace {

/// Calls visit(position of the writer, of the reader) for every edge of a node against the order.
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

} // namespace

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

/// Kahn's algorithm; of the nodes that are ready the one that stood first goes first. Then only
/// those move that stand between the two ends of edges against the order: what is before is ready
/// first, what is behind waits until all of these are done. Among them a node waits for the writer
/// of such an edge, or for one that waits itself: the edges of all others need no look.
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
    enum : std::uint8_t { WritesBack = 1, Waits = 2 };
    // By places in the range.
    std::vector<std::uint8_t> marks(range.size(), 0);
    std::vector<std::uint32_t> waiting(range.size(), 0); // for how many reads
    const auto forEachReader = [&](std::uint32_t place, auto visit) {
        for (const TensorId output : m_graph.node(range[place]).outputs)
            for (const Use &use : output.valid() ? m_graph.uses(output) : std::span<const Use>())
                if (const auto reader = m_graph.position(use.node); reader <= last)
                    visit(reader - first);
    };
    for (const std::uint32_t writer : writers) {
        const std::uint32_t place = writer - first;
        if (marks[place] & WritesBack)
            continue;
        marks[place] |= WritesBack;
        forEachReader(place, [&](std::uint32_t reader) { waiting[reader] += reader <= place; });
    }
    std::vector<NodeId> sorted;
    sorted.reserve(range.size());
    std::uint32_t here = 0;
    // Places before `here` whose nodes wait no more.
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    const auto take = [&](std::uint32_t place) {
        sorted.push_back(range[place]);
        if (marks[place])
            forEachReader(place, [&](std::uint32_t reader) {
                const auto mark = reader <= place ? WritesBack : Waits;
                if ((marks[place] & mark) && --waiting[reader] == 0 && reader < here)
                    ready.push(reader);
            });
    };
    const auto takeReady = [&] {
        while (!ready.empty()) {
            const std::uint32_t place = ready.top();
            ready.pop();
            take(place);
        }
    };
    for (; here < range.size(); ++here) {
        takeReady();
        if (waiting[here] == 0) {
            take(here);
        } else {
            marks[here] |= Waits;
            forEachReader(here, [&](std::uint32_t reader) { waiting[reader] += reader > here; });
        }
    }
    takeReady();
    if (sorted.size() != range.size()) {
        // Every node that still waits has a predecessor that waits: following those ends on a
        // cycle, whereas the first one found may only lie behind it.
        const auto stuck = [&](NodeId id) {
            const std::uint32_t at = m_graph.position(id);
            return at >= first && at <= last && waiting[at - first] > 0;
        };
        NodeId id = *std::ranges::find_if(range, stuck);
        std::vector<bool> seen(m_graph.nodeBound(), false);
        while (!seen[id.index]) {
            seen[id.index] = true;
            const auto before = m_graph.predecessors(id);
            id = *std::ranges::find_if(before, stuck);
        }
        return fail(Error::Kind::Model, "the graph has a cycle", m_graph.node(id).label());
    }
    std::ranges::copy(sorted, range.begin());
    for (std::uint32_t i = first; i <= last; ++i)
        position[nodes[i].index] = i;
    return {};
}

} // namespace graphloom
