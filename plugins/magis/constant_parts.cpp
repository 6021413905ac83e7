// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/constant_parts.h"

#include "engine/runtime/fold.h"

#include <algorithm>
#include <map>

namespace graphloom::magis {

Result<Graph> withConstantParts(const Graph &graph, const Opsets &opsets)
{
    GraphEditor editor(graph);
    std::map<std::vector<TensorId>, TensorId> parts; // by the operands of Slice
    std::uint64_t largest = 0;
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        const bool isConstant = std::ranges::all_of(node.inputs, [&](TensorId input) {
            return input.valid() && graph.tensor(input).constant;
        });
        if (node.qualifiedOp() != "Slice" || !isConstant || graph.isOutput(node.outputs.front()))
            continue;
        const auto [known, added] = parts.try_emplace(node.inputs, node.outputs.front());
        if (added) {
            largest = std::max(largest, graph.tensor(node.inputs.front()).constant->storedBytes());
            continue;
        }
        editor.removeNode(id);
        editor.replaceUses(node.outputs.front(), known->second);
        editor.removeTensor(node.outputs.front());
    }
    if (parts.empty())
        return graph;
    auto merged = std::move(editor).finish();
    if (!merged)
        return merged;
    return foldConstants(*merged, opsets, largest);
}

} // namespace graphloom::magis
