// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/node_graph.h"

#include <map>

namespace graphloom {

Result<NodeGraph> graphOf(const Graph &whole, NodeId id)
{
    GraphEditor editor;
    NodeGraph result;
    Node node = whole.node(id);
    std::map<TensorId, TensorId> known;
    std::vector<TensorId> inputs, outputs;
    const auto translate = [&](TensorId &tensor, bool output) {
        if (!tensor.valid())
            return;
        const auto [at, isNew] = known.try_emplace(tensor);
        if (isNew) {
            at->second = editor.addTensor(whole.tensor(tensor));
            if (output) {
                outputs.push_back(at->second);
                result.outputs.push_back(tensor);
            } else if (!whole.tensor(tensor).constant) {
                inputs.push_back(at->second);
                result.inputs.push_back(tensor);
            }
        }
        tensor = at->second;
    };
    for (auto *list : {&node.inputs, &node.captures})
        for (TensorId &tensor : *list)
            translate(tensor, false);
    for (TensorId &tensor : node.outputs)
        translate(tensor, true);
    editor.addNode(std::move(node));
    editor.setInputs(std::move(inputs));
    editor.setOutputs(std::move(outputs));
    GL_TRY_RESULT(graph, std::move(editor).finish());
    result.graph = std::move(*graph);
    return result;
}

} // namespace graphloom
