// SPDX-License-Identifier: Apache-2.0
#include "engine/fusion/node_sets.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

std::vector<NodeId> closureOf(const Graph &graph, const std::vector<NodeId> &nodes, NodeId from,
                              bool forwards)
{
    const std::unordered_set<NodeId> members(nodes.begin(), nodes.end());
    std::unordered_set<NodeId> reached = {from};
    std::vector<NodeId> open = {from};
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId next : forwards ? graph.successors(id) : graph.predecessors(id))
            if (members.contains(next) && reached.insert(next).second)
                open.push_back(next);
    }
    std::vector<NodeId> result;
    std::ranges::copy_if(nodes, std::back_inserter(result),
                         [&](NodeId id) { return reached.contains(id); });
    return result;
}

std::vector<std::vector<NodeId>> connectedParts(const Graph &graph,
                                                const std::vector<NodeId> &nodes)
{
    std::vector<std::vector<NodeId>> parts;
    std::unordered_set<NodeId> left(nodes.begin(), nodes.end());
    for (const NodeId first : nodes) {
        if (!left.erase(first))
            continue;
        std::unordered_set<NodeId> reached = {first};
        std::vector<NodeId> open = {first};
        while (!open.empty()) {
            const NodeId id = open.back();
            open.pop_back();
            auto around = graph.successors(id);
            const auto before = graph.predecessors(id);
            around.insert(around.end(), before.begin(), before.end());
            for (const NodeId next : around)
                if (left.erase(next)) {
                    reached.insert(next);
                    open.push_back(next);
                }
        }
        std::vector<NodeId> &part = parts.emplace_back();
        std::ranges::copy_if(nodes, std::back_inserter(part),
                             [&](NodeId id) { return reached.contains(id); });
    }
    return parts;
}

} // namespace graphloom
