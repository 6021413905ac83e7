// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/open_constants.h"

#include <map>
#include <string_view>

namespace graphloom {

Result<Graph> withOpenConstants(const Graph &graph, std::span<const TensorId> constants)
{
    GraphEditor editor(graph);
    std::vector<TensorId> inputs(graph.inputs().begin(), graph.inputs().end());
    for (const TensorId id : constants) {
        Tensor tensor = graph.tensor(id);
        tensor.constant = nullptr;
        editor.setTensor(id, std::move(tensor));
        inputs.push_back(id);
    }
    editor.setInputs(std::move(inputs));
    return std::move(editor).finish();
}

Result<Graph> withClosedConstants(const Graph &open, const Graph &given,
                                  std::span<const TensorId> constants)
{
    std::map<std::string_view, TensorId> wanted;
    for (const TensorId id : constants)
        wanted.emplace(given.tensor(id).name, id);
    GraphEditor editor(open);
    std::vector<TensorId> inputs, closed;
    for (const TensorId id : open.inputs())
        (wanted.contains(open.tensor(id).name) ? closed : inputs).push_back(id);
    editor.setInputs(std::move(inputs));
    for (const TensorId id : closed)
        editor.setTensor(id, given.tensor(wanted.at(open.tensor(id).name)));
    return std::move(editor).finish();
}

} // namespace graphloom
