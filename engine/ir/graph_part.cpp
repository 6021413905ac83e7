// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/graph_part.h"

#include <algorithm>
#include <set>

namespace graphloom {

namespace {

/// Calls visit(tensor) for every tensor that a node reads or writes.
template <class Visit> void forEachTensor(const Node &node, Visit visit)
{
    forEachRead(node, [&](TensorId id, std::uint32_t) { visit(id); });
    for (const TensorId id : node.outputs)
        if (id.valid())
            visit(id);
}

} // namespace

bool GraphPart::isComplete() const
{
    const auto known = [&](TensorId id) { return tensors.contains(id); };
    const auto isThere = [](const auto &entry) { return entry.second != nullptr; };
    return std::ranges::all_of(nodes, isThere) && std::ranges::all_of(tensors, isThere) &&
           std::ranges::all_of(inputs, known) && std::ranges::all_of(outputs, known) &&
           std::ranges::all_of(nodes, [&](const auto &entry) {
               bool complete = true;
               forEachTensor(*entry.second, [&](TensorId id) { complete = complete && known(id); });
               return complete;
           });
}

GraphPart partOf(const Graph &graph, std::span<const NodeId> nodes)
{
    GraphPart part;
    for (const NodeId id : nodes) {
        part.nodes.emplace(id, graph.shared(id));
        forEachTensor(graph.node(id),
                      [&](TensorId tensor) { part.tensors.emplace(tensor, graph.shared(tensor)); });
    }
    for (const auto &[id, tensor] : part.tensors) {
        if (graph.isExternal(id))
            part.inputs.push_back(id);
        if (graph.isOutput(id))
            part.outputs.push_back(id);
    }
    return part;
}

Result<PartGraph> graphOf(const GraphPart &part)
{
    GraphEditor editor;
    std::map<TensorId, TensorId> here;
    for (const auto &[id, tensor] : part.tensors)
        here.emplace(id, editor.addTensor(*tensor));
    const auto placed = [&](const std::vector<TensorId> &list) {
        std::vector<TensorId> result;
        for (const TensorId id : list)
            result.push_back(id.valid() ? here.at(id) : id);
        return result;
    };
    PartGraph result;
    std::set<TensorId> written(part.inputs.begin(), part.inputs.end());
    for (const auto &[id, node] : part.nodes) {
        Node copy = *node;
        for (auto *list : {&copy.inputs, &copy.captures, &copy.outputs})
            *list = placed(*list);
        result.nodes.emplace(id, editor.addNode(std::move(copy)));
        written.insert(node->outputs.begin(), node->outputs.end());
    }
    Node outside;
    outside.domain = "graphloom.outside";
    outside.op = "Outside";
    for (const auto &[id, tensor] : part.tensors)
        if (!tensor->constant && !written.contains(id))
            outside.outputs.push_back(here.at(id));
    if (!outside.outputs.empty())
        editor.addNode(std::move(outside));
    editor.setInputs(placed(part.inputs));
    editor.setOutputs(placed(part.outputs));
    GL_TRY_RESULT(graph, std::move(editor).finish());
    result.graph = *std::move(graph);
    return result;
}

} // namespace graphloom
