// SPDX-License-Identifier: Apache-2.0
#include "engine/compare/node_labels.h"

#include "engine/base/hash.h"
#include "engine/compare/elements.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint64_t absent = 0x51ab, computed = 0x7c11, constantMark = 0xc0a5;

/// Labels a tensor that is read but has no producer in the graph.
std::uint64_t sourceLabel(const Graph &graph, const BorderLabels &border, TensorId tensor)
{
    if (!tensor.valid())
        return absent;
    if (border.inputs[tensor.index] != 0)
        return border.inputs[tensor.index];
    return graph.tensor(tensor).constant ? constantMark : computed;
}

std::uint32_t outputNumber(const Node &producer, TensorId tensor)
{
    return std::uint32_t(std::ranges::find(producer.outputs, tensor) - producer.outputs.begin());
}

std::uint64_t typeLabel(const Tensor &tensor)
{
    std::uint64_t label = combine(std::uint64_t(tensor.type), hashText(tensor.otherType));
    if (!tensor.shape)
        return label;
    for (const Dim &dim : *tensor.shape) {
        const auto extent = dim.constant();
        label = combine(label, extent ? std::uint64_t(*extent) : hashText(dim.text()));
    }
    return combine(label, tensor.shape->size());
}

/// Sums mixed labels, as readers have no order.
std::uint64_t readersLabel(const Graph &graph, const BorderLabels &border, const Node &node,
                           const std::vector<std::uint64_t> &labels)
{
    std::uint64_t sum = 0;
    for (std::uint32_t k = 0; k < node.outputs.size(); ++k) {
        const TensorId output = node.outputs[k];
        if (!output.valid())
            continue;
        if (border.outputs[output.index] != 0)
            sum += scramble(combine(k + 1, border.outputs[output.index]));
        for (const Use &use : graph.uses(output))
            sum += scramble(combine(combine(k + 1, use.slot), labels[use.node.index]));
    }
    return sum;
}

} // namespace

std::uint64_t labelOf(const Graph &graph, NodeId id, NodeLabel what)
{
    const Node &node = graph.node(id);
    std::uint64_t label = combine(hashText(node.op), hashText(node.domain));
    label = combine(label, node.attributes.hash());
    if (what == NodeLabel::Shapes)
        for (const TensorId output : node.outputs)
            label = combine(label, output.valid() ? typeLabel(graph.tensor(output)) : absent);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        const TensorId input = node.inputs[i];
        if (!input.valid() || !graph.tensor(input).constant)
            continue;
        const Tensor &tensor = graph.tensor(input);
        label = combine(label, what == NodeLabel::Exact ? sampleLabel(*tensor.constant)
                                                        : typeLabel(tensor));
        label = combine(label, i);
    }
    return label;
}

std::vector<std::uint64_t> upstreamLabels(const Graph &graph, const BorderLabels &border,
                                          const std::vector<std::uint64_t> &own)
{
    std::vector<std::uint64_t> labels(graph.nodeBound(), 0);
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        std::uint64_t label = own[id.index];
        for (const auto *list : {&node.inputs, &node.captures})
            for (const TensorId tensor : *list) {
                const NodeId producer = tensor.valid() ? graph.producer(tensor) : NodeId();
                label = combine(label, producer.valid()
                                           ? combine(labels[producer.index],
                                                     outputNumber(graph.node(producer), tensor))
                                           : sourceLabel(graph, border, tensor));
            }
        labels[id.index] = label;
    }
    return labels;
}

std::vector<std::uint64_t> downstreamLabels(const Graph &graph, const BorderLabels &border,
                                            const std::vector<std::uint64_t> &own)
{
    std::vector<std::uint64_t> labels(graph.nodeBound(), 0);
    const auto order = graph.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id)
        labels[id->index] =
            combine(own[id->index], readersLabel(graph, border, graph.node(*id), labels));
    return labels;
}

std::vector<std::uint64_t> widened(const Graph &graph, const BorderLabels &border,
                                   const std::vector<std::uint64_t> &labels)
{
    std::vector<std::uint64_t> wider(graph.nodeBound(), 0);
    for (const NodeId id : graph.order()) {
        const Node &node = graph.node(id);
        std::uint64_t label = labels[id.index];
        for (const TensorId tensor : node.inputs) {
            const NodeId producer = tensor.valid() ? graph.producer(tensor) : NodeId();
            label = combine(label, producer.valid()
                                       ? combine(labels[producer.index],
                                                 outputNumber(graph.node(producer), tensor))
                                       : sourceLabel(graph, border, tensor));
        }
        wider[id.index] = combine(label, readersLabel(graph, border, node, labels));
    }
    return wider;
}

} // namespace graphloom
