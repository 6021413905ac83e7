// SPDX-License-Identifier: Apache-2.0
#include "engine/plan/node_names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

std::string firstOutputName(const Graph &graph, NodeId id)
{
    const auto &outputs = graph.node(id).outputs;
    const auto first = std::ranges::find_if(outputs, &TensorId::valid);
    return first == outputs.end() ? std::string() : graph.tensor(*first).name;
}

} // namespace

std::string nodeName(const Graph &graph, NodeId id)
{
    const Node &node = graph.node(id);
    if (!node.name.empty())
        return node.name;
    const std::string output = firstOutputName(graph, id);
    return output.empty() ? node.qualifiedOp() + " " + std::to_string(id.index) : output;
}

std::vector<std::string> distinctNodeNames(const Graph &graph)
{
    std::unordered_map<std::string_view, std::size_t> counts;
    for (const NodeId id : graph.order())
        ++counts[graph.node(id).name];
    std::vector<std::string> names(graph.nodeBound());
    std::unordered_set<std::string> taken;
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        std::string name =
            !node.name.empty() && counts[node.name] == 1 ? node.name : firstOutputName(graph, id);
        if (name.empty())
            name = nodeName(graph, id);
        const std::string wished = name;
        for (int number = 2; !taken.insert(name).second; ++number)
            name = wished + " (" + std::to_string(number) + ")";
        names[id.index] = std::move(name);
    }
    return names;
}

} // namespace graphloom
