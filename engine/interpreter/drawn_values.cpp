// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/drawn_values.h"
#include "engine/ops/describe/operator_table.h"
#include "engine/ops/describe/stage.h"

namespace graphloom {

namespace {

/// Tells whether the call, or a call in a graph nested in its node, draws such numbers.
bool drawsNumbers(const Graph &graph, NodeId id, const Opsets &opsets, Draws draws)
{
    const Node &node = graph.node(id);
    for (const Attribute &attribute : node.attributes)
        for (const GraphPointer &nested : graphsOf(attribute.value))
            for (const NodeId inner : nested->order())
                if (drawsNumbers(*nested, inner, opsets, draws))
                    return true;
    const Operator *entry = findOperator(node.domain, node.op, opsets(node.domain));
    if (!entry || !entry->draws ||
        (draws == Draws::WithoutSeed && node.attributes.contains("seed")))
        return false;
    // Dropout draws nothing at inference, as its description tells.
    const auto description = describe(graph, id, opsets);
    return !description || description->isOpaque();
}

} // namespace

std::vector<NodeId> tensorsDrawn(const Graph &graph, const Opsets &opsets, Draws draws)
{
    std::vector<NodeId> source(graph.tensorBound());
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        NodeId from;
        forEachRead(node, [&](TensorId read, std::uint32_t) {
            if (!from.valid())
                from = source[read.index];
        });
        if (!from.valid() && drawsNumbers(graph, id, opsets, draws))
            from = id;
        for (const TensorId output : node.outputs)
            if (output.valid())
                source[output.index] = from;
    }
    return source;
}

std::vector<std::string> outputsDrawn(const Graph &graph, const Opsets &opsets, Draws draws)
{
    const std::vector<NodeId> source = tensorsDrawn(graph, opsets, draws);
    std::vector<std::string> labels;
    for (const TensorId output : graph.outputs()) {
        const NodeId from = source[output.index];
        labels.push_back(from.valid() ? graph.node(from).label() : std::string());
    }
    return labels;
}

} // namespace graphloom
