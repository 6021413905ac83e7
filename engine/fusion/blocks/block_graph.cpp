// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_graph.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

namespace graphloom {

BlockGraph::BlockGraph(const Graph &graph) : m_graph(&graph), m_count(graph.nodeCount())
{
    auto readers = std::make_shared<Readers>();
    for (const NodeId id : graph.order()) {
        auto &list = readers->emplace_back();
        for (const NodeId next : graph.successors(id))
            list.push_back(positionOf(next));
    }
    m_readers = std::move(readers);
    for (std::size_t i = 0; i < m_count; ++i) {
        m_blockOf.push_back(Block(i));
        m_nodes.push_back(std::make_shared<const std::vector<NodeId>>(1, graph.order()[i]));
        m_rank.push_back(Rank(i));
        m_ranked.push_back(Block(i));
    }
}

BlockGraph::BlockGraph(const Graph &graph, const Partition &partition, std::vector<Block> &names)
    : BlockGraph(graph)
{
    for (const Subgraph &group : partition.subgraphs) {
        const Block name = blockOf(group.nodes.front());
        for (const NodeId id : group.nodes)
            if (blockOf(id) != name)
                join(name, blockOf(id));
        names.push_back(name);
    }
    m_ordered = m_ranked.empty() || arrange(Rank(0), Rank(m_ranked.size() - 1));
}

void BlockGraph::setNodes(Block block, std::vector<NodeId> nodes)
{
    m_nodes.mutate(place(block)) = std::make_shared<const std::vector<NodeId>>(std::move(nodes));
}

/// Calls visit() with each block that reads from this one, some more than once.
template <class Visit> void BlockGraph::forEachReader(Block block, Visit visit) const
{
    for (const NodeId id : nodes(block))
        for (const Position next : (*m_readers)[positionOf(id)])
            if (blockAt(next) != block)
                visit(blockAt(next));
}

/// Calls visit() with each block that this one reads from, some more than once.
template <class Visit> void BlockGraph::forEachWriter(Block block, Visit visit) const
{
    for (const NodeId id : nodes(block))
        forEachRead(m_graph->node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = m_graph->producer(tensor);
            if (producer.valid() && blockOf(producer) != block)
                visit(blockOf(producer));
        });
}

std::vector<BlockGraph::Block> BlockGraph::successors(Block block) const
{
    std::vector<Block> result;
    forEachReader(block, [&](Block other) { result.push_back(other); });
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::vector<BlockGraph::Block> BlockGraph::predecessors(Block block) const
{
    std::vector<Block> result;
    forEachWriter(block, [&](Block other) { result.push_back(other); });
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

bool BlockGraph::wouldCycle(std::span<const Block> blocks, Steps *steps) const
{
    // A path back to the blocks only passes through blocks between them in the order.
    if (blocks.empty())
        return false;
    Rank first(0), last(m_ranked.size() - 1);
    if (m_ordered) {
        first = last = rankOf(blocks.front());
        for (const Block block : blocks) {
            first = std::min(first, rankOf(block));
            last = std::max(last, rankOf(block));
        }
    }
    enum : char { New, Seen, Given };
    std::vector<char> state(last - first + 1, New); // by rank
    for (const Block block : blocks)
        state[rankOf(block) - first] = Given;
    std::vector<Block> open(blocks.begin(), blocks.end());
    bool found = false;
    while (!open.empty() && !found) {
        const Block block = open.back();
        open.pop_back();
        const bool given = state[rankOf(block) - first] == Given;
        std::uint64_t looked = 1;
        forEachReader(block, [&](Block other) {
            ++looked;
            const Rank rank = rankOf(other);
            if (rank > last)
                return;
            char &known = state[rank - first];
            found = found || (known == Given && !given);
            if (known == New) {
                known = Seen;
                open.push_back(other);
            }
        });
        if (steps)
            steps->add(looked);
    }
    return found;
}

std::vector<NodeId> BlockGraph::cycleThrough(std::span<const Block> blocks) const
{
    /// Describes the edge over which a block was first reached.
    struct Step {
        NodeId from, to;
    };
    IndexedVector<Block, Step> reached(m_nodes.size());
    const auto isGiven = [&](Block block) { return std::ranges::count(blocks, block) > 0; };
    std::vector<Block> open(blocks.begin(), blocks.end());
    for (std::size_t next = 0; next < open.size(); ++next)
        for (const NodeId id : nodes(open[next]))
            for (const Position position : (*m_readers)[positionOf(id)]) {
                const NodeId reader = nodeAt(position);
                const Block block = blockAt(position);
                if (isGiven(block)) {
                    if (isGiven(open[next]))
                        continue;
                    std::vector<NodeId> path{reader, id};
                    for (Block at = open[next]; !isGiven(at); at = blockOf(path.back())) {
                        if (reached[at].to != path.back())
                            path.push_back(reached[at].to);
                        path.push_back(reached[at].from);
                    }
                    std::ranges::reverse(path);
                    return path;
                }
                if (!reached[block].from.valid()) {
                    reached[block] = {id, reader};
                    open.push_back(block);
                }
            }
    return {};
}

std::vector<NodeId> BlockGraph::joined(Block a, Block b) const
{
    std::vector<NodeId> nodes;
    std::ranges::merge(
        this->nodes(a), this->nodes(b), std::back_inserter(nodes), {},
        [&](NodeId id) { return m_graph->position(id); },
        [&](NodeId id) { return m_graph->position(id); });
    return nodes;
}

/// Holds the blocks between two blocks in the order that depend on the first or feed the second.
struct BlockGraph::Between {
    std::vector<Block> before, behind; // ancestors of the second / descendants of the first
};

/// Returns nullopt if merging the two would form a cycle.
std::optional<BlockGraph::Between> BlockGraph::between(Block a, Block b) const
{
    const Block first = rankOf(a) < rankOf(b) ? a : b, second = first == a ? b : a;
    const Rank from = rankOf(first), to = rankOf(second);
    std::vector<char> seen(to - from, 0); // by rank
    bool met = false;
    const auto spread = [&](Block start, char mark, auto forEachNext) {
        std::vector<Block> found{start};
        for (std::size_t i = 0; i < found.size(); ++i)
            forEachNext(found[i], [&](Block other) {
                const Rank rank = rankOf(other);
                if (rank <= from || rank >= to || seen[rank - from] == mark)
                    return;
                met = met || seen[rank - from] != 0;
                seen[rank - from] = mark;
                found.push_back(other);
            });
        found.erase(found.begin());
        std::ranges::sort(found, {}, [&](Block block) { return rankOf(block); });
        return found;
    };
    Between result;
    result.behind = spread(first, 1, [&](Block block, auto visit) { forEachReader(block, visit); });
    result.before =
        spread(second, 2, [&](Block block, auto visit) { forEachWriter(block, visit); });
    return met ? std::nullopt : std::optional(std::move(result));
}

void BlockGraph::setRank(Block block, Rank rank)
{
    if (rankOf(block) == rank)
        return;
    m_rank.mutate(place(block)) = rank;
    m_ranked.mutate(place(rank)) = block;
}

/// Restores the topological order of a range that contains both ends of every edge against the
/// order, changing it as little as possible. Returns false if there is a cycle.
bool BlockGraph::arrange(Rank first, Rank last)
{
    std::vector<Block> before, unused;
    std::vector<std::size_t> waiting(last - first + 1, 0); // by rank: incoming edges
    std::priority_queue<Rank, std::vector<Rank>, std::greater<>> ready;
    const auto isInside = [&](Block block) {
        return rankOf(block) >= first && rankOf(block) <= last;
    };
    for (const Rank rank : IndexRange(first, last + 1)) {
        const Block block = rankedAt(rank);
        before.push_back(block);
        if (nodes(block).empty()) {
            unused.push_back(block);
            continue;
        }
        // Incoming edges are counted at their sources, so each counts as often as it is followed.
        forEachReader(block, [&](Block other) {
            if (isInside(other))
                ++waiting[rankOf(other) - first];
        });
    }
    for (const Rank rank : IndexRange(first, last + 1))
        if (waiting[rank - first] == 0 && !nodes(before[rank - first]).empty())
            ready.push(rank);
    std::vector<Block> sorted;
    while (!ready.empty()) {
        const Block block = before[ready.top() - first];
        ready.pop();
        sorted.push_back(block);
        forEachReader(block, [&](Block other) {
            if (isInside(other) && --waiting[rankOf(other) - first] == 0)
                ready.push(rankOf(other));
        });
    }
    if (sorted.size() + unused.size() != before.size())
        return false;
    sorted.insert(sorted.end(), unused.begin(), unused.end());
    for (const Rank rank : IndexRange(first, last + 1))
        setRank(sorted[rank - first], rank);
    return true;
}

/// Merges `b` into `a` without updating the order.
void BlockGraph::join(Block a, Block b)
{
    auto nodes = joined(a, b);
    for (const NodeId id : this->nodes(b))
        setBlock(id, a);
    setNodes(b, {});
    setNodes(a, std::move(nodes));
    --m_count;
}

void BlockGraph::merge(Block a, Block b)
{
    const auto between = m_ordered ? this->between(a, b) : std::nullopt;
    join(a, b);
    m_ordered = between.has_value();
    if (!between)
        return;
    // Blocks that the two depend on get the lowest of these ranks, blocks that depend on the two
    // the highest (Pearce and Kelly).
    std::vector<Block> blocks = between->before;
    blocks.push_back(a);
    blocks.insert(blocks.end(), between->behind.begin(), between->behind.end());
    blocks.push_back(b);
    std::vector<Rank> ranks;
    for (const Block block : blocks)
        ranks.push_back(rankOf(block));
    std::ranges::sort(ranks);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        setRank(blocks[i], ranks[i]);
}

void BlockGraph::take(std::span<const NodeId> taken, Block to)
{
    const Block from = blockOf(taken.front());
    std::vector<NodeId> rest = nodes(from), all = nodes(to);
    const std::unordered_set<NodeId> gone(taken.begin(), taken.end());
    std::erase_if(rest, [&](NodeId id) { return gone.contains(id); });
    for (const NodeId id : taken)
        setBlock(id, to);
    all.insert(all.end(), taken.begin(), taken.end());
    std::ranges::sort(all, {}, [&](NodeId id) { return m_graph->position(id); });
    setNodes(from, std::move(rest));
    setNodes(to, std::move(all));
    const auto [first, last] = std::minmax({rankOf(from), rankOf(to)});
    m_ordered = m_ordered && arrange(first, last);
}

BlockGraph::Block BlockGraph::split(std::span<const NodeId> nodes)
{
    // There are as many names as nodes, so one is free as long as some block holds two nodes.
    Block name(0);
    while (!this->nodes(name).empty())
        ++name;
    take(nodes, name);
    ++m_count;
    return name;
}

void BlockGraph::move(std::span<const NodeId> nodes, Block to)
{
    take(nodes, to);
}

Partition BlockGraph::partition(std::string method) const
{
    Partition result;
    result.method = std::move(method);
    IndexedVector<Block, std::size_t> waiting(m_nodes.size(), 0);
    const auto later = [&](Block a, Block b) {
        return m_graph->position(nodes(a).front()) > m_graph->position(nodes(b).front());
    };
    std::priority_queue<Block, std::vector<Block>, decltype(later)> ready(later);
    for (const Block block : names()) {
        if (nodes(block).empty())
            continue;
        waiting[block] = predecessors(block).size();
        if (waiting[block] == 0)
            ready.push(block);
    }
    while (!ready.empty()) {
        const Block block = ready.top();
        ready.pop();
        result.subgraphs.push_back({nodes(block), 0});
        for (const Block next : successors(block))
            if (--waiting[next] == 0)
                ready.push(next);
    }
    result.index(*m_graph);
    return result;
}

} // namespace graphloom
