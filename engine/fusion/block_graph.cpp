// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/block_graph.h"

#include <algorithm>
#include <queue>

namespace graphloom {

BlockGraph::BlockGraph(const Graph &graph)
    : m_graph(&graph), m_blockOf(graph.nodeCount()), m_nodes(graph.nodeCount()),
      m_count(graph.nodeCount())
{
    auto readers = std::make_shared<std::vector<std::vector<std::uint32_t>>>();
    for (const NodeId id : graph.order()) {
        auto &list = readers->emplace_back();
        for (const NodeId next : graph.successors(id))
            list.push_back(graph.position(next));
    }
    m_readers = std::move(readers);
    for (std::uint32_t i = 0; i < m_nodes.size(); ++i) {
        m_blockOf[i] = i;
        m_nodes[i] = {graph.order()[i]};
    }
}

BlockGraph::BlockGraph(const Graph &graph, const Partition &partition, std::vector<Block> &names)
    : BlockGraph(graph)
{
    for (const Subgraph &group : partition.subgraphs) {
        const Block name = blockOf(group.nodes.front());
        for (std::size_t i = 1; i < group.nodes.size(); ++i)
            merge(name, blockOf(group.nodes[i]));
        names.push_back(name);
    }
}

std::vector<BlockGraph::Block> BlockGraph::successors(Block block) const
{
    std::vector<Block> result;
    for (const NodeId id : m_nodes[block])
        for (const std::uint32_t next : (*m_readers)[m_graph->position(id)])
            if (m_blockOf[next] != block)
                result.push_back(m_blockOf[next]);
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::vector<BlockGraph::Block> BlockGraph::predecessors(Block block) const
{
    std::vector<Block> result;
    for (const NodeId id : m_nodes[block])
        forEachRead(m_graph->node(id), [&](TensorId tensor, std::uint32_t) {
            const NodeId producer = m_graph->producer(tensor);
            if (producer.valid() && blockOf(producer) != block)
                result.push_back(blockOf(producer));
        });
    std::ranges::sort(result);
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

bool BlockGraph::wouldCycle(std::span<const Block> blocks) const
{
    enum : char { New, Seen, Given };
    std::vector<char> state(m_nodes.size(), New);
    for (const Block block : blocks)
        state[block] = Given;
    std::vector<Block> open(blocks.begin(), blocks.end());
    while (!open.empty()) {
        const Block block = open.back();
        open.pop_back();
        for (const NodeId id : m_nodes[block])
            for (const std::uint32_t next : (*m_readers)[m_graph->position(id)]) {
                const Block other = m_blockOf[next];
                if (state[other] == Given && state[block] != Given)
                    return true;
                if (state[other] == New) {
                    state[other] = Seen;
                    open.push_back(other);
                }
            }
    }
    return false;
}

std::vector<NodeId> BlockGraph::cycleThrough(std::span<const Block> blocks) const
{
    /// The edge by which a block was reached first.
    struct Step {
        NodeId from, to;
    };
    std::vector<Step> reached(m_nodes.size());
    const auto isGiven = [&](Block block) { return std::ranges::count(blocks, block) > 0; };
    std::vector<Block> open(blocks.begin(), blocks.end());
    for (std::size_t next = 0; next < open.size(); ++next)
        for (const NodeId id : m_nodes[open[next]])
            for (const std::uint32_t position : (*m_readers)[m_graph->position(id)]) {
                const NodeId reader = m_graph->order()[position];
                const Block block = m_blockOf[position];
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
        m_nodes[a], m_nodes[b], std::back_inserter(nodes), {},
        [&](NodeId id) { return m_graph->position(id); },
        [&](NodeId id) { return m_graph->position(id); });
    return nodes;
}

void BlockGraph::merge(Block a, Block b)
{
    auto nodes = joined(a, b);
    for (const NodeId id : m_nodes[b])
        m_blockOf[m_graph->position(id)] = a;
    m_nodes[b].clear();
    m_nodes[a] = std::move(nodes);
    --m_count;
}

void BlockGraph::take(std::span<const NodeId> nodes, Block to)
{
    const Block from = blockOf(nodes.front());
    const auto isTaken = [&](NodeId id) { return std::ranges::count(nodes, id) > 0; };
    std::erase_if(m_nodes[from], isTaken);
    for (const NodeId id : nodes)
        m_blockOf[m_graph->position(id)] = to;
    m_nodes[to].insert(m_nodes[to].end(), nodes.begin(), nodes.end());
    std::ranges::sort(m_nodes[to], {}, [&](NodeId id) { return m_graph->position(id); });
}

BlockGraph::Block BlockGraph::split(std::span<const NodeId> nodes)
{
    // There are as many names as nodes, so one is free while some block holds two.
    const auto free = std::ranges::find_if(m_nodes, &std::vector<NodeId>::empty);
    const auto name = Block(free - m_nodes.begin());
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
    std::vector<std::size_t> waiting(m_nodes.size(), 0);
    const auto later = [&](Block a, Block b) {
        return m_graph->position(m_nodes[a].front()) > m_graph->position(m_nodes[b].front());
    };
    std::priority_queue<Block, std::vector<Block>, decltype(later)> ready(later);
    for (Block block = 0; block < m_nodes.size(); ++block) {
        if (m_nodes[block].empty())
            continue;
        waiting[block] = predecessors(block).size();
        if (waiting[block] == 0)
            ready.push(block);
    }
    while (!ready.empty()) {
        const Block block = ready.top();
        ready.pop();
        result.subgraphs.push_back({m_nodes[block], 0});
        for (const Block next : successors(block))
            if (--waiting[next] == 0)
                ready.push(next);
    }
    result.index(*m_graph);
    return result;
}

} // namespace graphloom
