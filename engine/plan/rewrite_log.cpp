// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/rewrite_log.h"

#include <set>

namespace graphloom {

namespace {

constexpr std::size_t mostBeside = 30;

/// Adds the predecessors and successors of the nodes.
void addNeighbours(std::set<NodeId> &beside, const Graph &graph, const std::vector<NodeId> &nodes)
{
    const auto add = [&](NodeId id) {
        if (beside.size() < mostBeside)
            beside.insert(id);
    };
    for (const NodeId id : nodes) {
        forEachRead(graph.node(id), [&](TensorId tensor, std::uint32_t) {
            if (const NodeId producer = graph.producer(tensor); producer.valid())
                add(producer);
        });
        for (const TensorId tensor : graph.node(id).outputs)
            if (tensor.valid())
                for (const Use &use : graph.uses(tensor))
                    add(use.node);
    }
}

GraphPart partWith(const Graph &graph, std::vector<NodeId> nodes, const std::set<NodeId> &beside)
{
    for (const NodeId id : beside)
        if (graph.contains(id))
            nodes.push_back(id);
    return partOf(graph, nodes);
}

} // namespace

void RewriteStep::setParts(const Graph &graphBefore, const Graph &graphAfter)
{
    std::set<NodeId> beside;
    addNeighbours(beside, graphBefore, removed);
    addNeighbours(beside, graphAfter, added);
    before = partWith(graphBefore, removed, beside);
    after = partWith(graphAfter, added, beside);
}

} // namespace graphloom
