// SPDX-License-Identifier: Apache-2.0
// Implements how a change replaces several calls by one.
#include "plugins/magis/rules/graph_change.h"
#include "plugins/magis/rules/joined_values.h"

#include <algorithm>

namespace graphloom::magis {

/// Sorts the calls into the order in which the graph already joins some of their operands.
void GraphChange::arrange(CallMerge &merge) const
{
    for (std::size_t i = 0; i < merge.inputs.size(); ++i) {
        if (!merge.inputs[i])
            continue;
        const std::vector<TensorId> operands = merge.operands(graph(), i);
        const std::vector<TensorId> order = orderOf(graph(), operands, *merge.inputs[i]);
        if (order.empty())
            continue;
        std::vector<NodeId> calls;
        for (const TensorId operand : order)
            calls.push_back(
                merge.calls[std::size_t(std::ranges::find(operands, operand) - operands.begin())]);
        merge.calls = std::move(calls);
        return;
    }
}

/// Removes the merged calls and returns the one call, without outputs.
Node GraphChange::joinedCall(const CallMerge &merge)
{
    std::vector<std::vector<TensorId>> operands;
    for (std::size_t i = 0; i < merge.inputs.size(); ++i)
        operands.push_back(merge.operands(graph(), i));
    Node node = merge.node;
    node.outputs.clear();
    remove(merge.calls);
    for (std::size_t i = 0; i < merge.inputs.size(); ++i)
        if (merge.inputs[i])
            node.inputs[i] = joined(operands[i], *merge.inputs[i]);
    return node;
}

void GraphChange::merge(CallMerge merge)
{
    arrange(merge);
    std::vector<std::vector<TensorId>> results(merge.outputs.size());
    for (const NodeId id : merge.calls)
        for (std::size_t o = 0; o < results.size(); ++o)
            results[o].push_back(graph().node(id).outputs[o]);
    const std::vector<TensorId> wholes = calls(joinedCall(merge), {}, merge.outputs.size());
    for (std::size_t o = 0; o < wholes.size(); ++o)
        divide(wholes[o], results[o], merge.outputs[o]);
}

TensorId GraphChange::mergeWhole(CallMerge merge, TensorId result)
{
    if (merge.outputs.empty())
        arrange(merge);
    return call(joinedCall(merge), result);
}

} // namespace graphloom::magis
