// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/constant_parts.h"

#include "engine/interpreter/fold.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace graphloom::magis {

Result<Graph> withConstantParts(const Graph &graph, const Opsets &opsets,
                                const std::stop_token &stop)
{
    GraphEditor editor(graph);
    /// Results of calls on constants, by operator, attributes and operands.
    std::map<std::tuple<std::string, std::uint64_t, std::vector<TensorId>>, TensorId> parts;
    std::uint64_t largest = 0;
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        const bool isConstant = std::ranges::all_of(node.inputs, [&](TensorId input) {
            return input.valid() && graph.tensor(input).constant;
        });
        const Operator *entry = findOperator(node.domain, node.op, opsets(node.domain));
        if (!isConstant || node.inputs.empty() || node.outputs.size() != 1 || !entry ||
            entry->draws || graph.isOutput(node.outputs.front()))
            continue;
        const auto [known, added] = parts.try_emplace(
            {node.qualifiedOp(), node.attributes.hash(), node.inputs}, node.outputs.front());
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
    GL_TRY_RESULT(merged, std::move(editor).finish());
    return foldConstants(*merged, opsets, largest, stop);
}

Result<Realized> withConstantParts(Realized realized, const Opsets &opsets)
{
    GL_TRY_RESULT(folded, withConstantParts(realized.graph, opsets));
    const auto order = realized.graph.order();
    for (Realized::Swap &swap : realized.swaps) {
        auto position = realized.graph.position(swap.loadedBefore);
        while (!folded->contains(order[position])) // the reader of a folded part comes later
            ++position;
        swap.loadedBefore = order[position];
    }
    realized.origins.resize(folded->nodeBound());
    realized.originals.resize(folded->tensorBound());
    realized.graph = std::move(*folded);
    return realized;
}

} // namespace graphloom::magis
