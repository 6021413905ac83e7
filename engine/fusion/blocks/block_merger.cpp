// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/blocks/block_merger.h"

#include <algorithm>

namespace graphloom {

namespace {

using Block = BlockGraph::Block;

/// Returns the first edge between the two blocks, in either direction.
std::pair<NodeId, NodeId> edgeBetween(const BlockGraph &graph, Block a, Block b)
{
    for (const auto &[from, to] : {std::pair{a, b}, {b, a}})
        for (const NodeId id : graph.nodes(from))
            for (const NodeId next : graph.graph().successors(id))
                if (graph.blockOf(next) == to)
                    return {id, next};
    return {};
}

} // namespace

MergeAnswer BlockMerger::legality(const BlockGraph &graph, Block a, Block b, Steps *steps) const
{
    MergeAnswer answer;
    answer.nodes = graph.joined(a, b);
    if (steps)
        steps->add(answer.nodes.size());
    const auto refuse = [&](BlockBorder::Cause cause, std::string reason) {
        const auto [producer, consumer] = edgeBetween(graph, a, b);
        answer.refusal = {cause, {producer, consumer, std::move(reason)}};
    };
    answer.block = m_rules.check(answer.nodes);
    if (answer.block.refusal) {
        refuse(answer.block.refusal->cause, answer.block.refusal->edge.reason);
        const auto &edge = answer.block.refusal->edge;
        if (edge.producer.valid())
            answer.refusal->edge = edge;
        return answer;
    }
    if (graph.wouldCycle(a, b, steps))
        refuse(BlockBorder::Cause::Cycle, "merging would create a cycle: a block between the two "
                                          "reads from one and feeds the other");
    return answer;
}

MergeAnswer BlockMerger::profit(const BlockGraph &graph, Block a, Block b, Steps *steps) const
{
    MergeAnswer answer = legality(graph, a, b, steps);
    if (answer.refusal)
        return answer;
    // Table 3 leaves these edges between the two open; those inside were decided before.
    std::vector<BlockAnswer::Edge> open;
    for (const auto &edge : answer.block.undecided)
        if (graph.blockOf(edge.producer) != graph.blockOf(edge.consumer))
            open.push_back(edge);
    if (open.empty() && answer.block.rereadBytes == 0)
        return answer;
    const BlockAnswer answerOfA = m_rules.check(graph.nodes(a)),
                      answerOfB = m_rules.check(graph.nodes(b));
    const CostedBlock compared[] = {
        {answer.nodes, answer.block}, {graph.nodes(a), answerOfA}, {graph.nodes(b), answerOfB}};
    const std::vector<BlockSeconds> costs = m_cost.comparable(compared);
    answer.secondsTogether = costs[0].seconds;
    answer.secondsApart = costs[1].seconds + costs[2].seconds;
    const std::string figures = comparisonOf(costs, m_cost.device());
    if (answer.secondsTogether >= answer.secondsApart) {
        const auto edge = open.empty() ? BlockAnswer::Edge{} : open.front();
        answer.refusal = {
            BlockBorder::Cause::Cost,
            {edge.producer, edge.consumer,
             (edge.reason.empty() ? "operands are read again for every row tile" : edge.reason) +
                 ": " + figures}};
        if (!edge.producer.valid())
            std::tie(answer.refusal->edge.producer, answer.refusal->edge.consumer) =
                edgeBetween(graph, a, b);
        return answer;
    }
    for (auto &edge : answer.block.undecided)
        if (graph.blockOf(edge.producer) != graph.blockOf(edge.consumer))
            edge.reason += ": " + figures;
    return answer;
}

} // namespace graphloom
