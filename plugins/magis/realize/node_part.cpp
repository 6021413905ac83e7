// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/realize/node_part.h"

#include "plugins/magis/graph/call_times.h"

namespace graphloom::magis {

namespace {

/// Narrows a box to a part of it.
void restrict(Box &box, const TensorPart &part)
{
    if (part.dim < 0)
        return;
    Parts::Interval &interval = box[std::size_t(part.dim)];
    interval = {interval.begin + part.begin, interval.begin + part.end};
}

/// Lists everything that a part depends on besides the call.
std::string textOf(const NodeCut &cut)
{
    std::string text = '|' + std::to_string(cut.steps.begin) + ' ' + std::to_string(cut.steps.end) +
                       ' ' + std::to_string(cut.depth) + ' ' + std::to_string(cut.split.extent) +
                       ' ' + std::to_string(int(cut.split.combine));
    for (const auto *tensors : {&cut.split.inputs, &cut.split.outputs}) {
        text += ';';
        for (const SplitTensor &tensor : *tensors)
            text += ' ' + std::to_string(tensor.dim) + ',' + std::to_string(tensor.step) + ',' +
                    std::to_string(tensor.before) + ',' + std::to_string(tensor.after);
    }
    for (const std::vector<int> &axes : cut.split.axes) {
        text += ';';
        for (const int axis : axes)
            text += ' ' + std::to_string(axis);
    }
    return text;
}

} // namespace

Result<NodePart> nodePart(const Graph &graph, NodeId id, std::span<const NodeCut> cuts,
                          const Opsets &opsets)
{
    const Node &node = graph.node(id);
    NodePart result;
    result.node = node;
    for (const TensorId input : node.inputs)
        result.inputs.push_back(input.valid() ? wholeBox(*graph.tensor(input).shape) : Box());
    for (const TensorId output : node.outputs)
        result.outputs.push_back(output.valid() ? wholeBox(*graph.tensor(output).shape) : Box());
    result.constants.resize(node.inputs.size());
    result.depths.assign(node.inputs.size(), 0);
    if (cuts.empty())
        return result;
    const Call call(node, operandsOf(graph, node), opsets(node.domain));
    GL_TRY_RESULT(description, describe(call));
    CallPart part = wholeCall(call, *std::move(description));
    for (const NodeCut &cut : cuts) {
        const auto split =
            &cut == &cuts.front() ? std::optional(cut.split) : splitLike(part, cut.split);
        if (!split)
            return fail(Error::Kind::Model, "cannot be split along these dimensions at once",
                        node.label());
        GL_TRY_RESULT(next, callPart(part, *split, cut.steps.begin, cut.steps.end));
        part = *std::move(next);
        for (std::size_t i = 0; i < node.inputs.size(); ++i) {
            if (!node.inputs[i].valid())
                continue;
            restrict(result.inputs[i], part.inputs[i]);
            if (part.inputs[i].dim >= 0)
                result.depths[i] = cut.depth;
            if (part.replaced[i])
                result.constants[i] = *part.operands[i];
        }
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (node.outputs[o].valid())
                restrict(result.outputs[o], part.outputs[o]);
    }
    result.node.attributes = part.node.attributes;
    return result;
}

Result<NodePart> NodeParts::of(NodeId id, std::span<const NodeCut> cuts)
{
    if (cuts.empty())
        return nodePart(m_graph, id, cuts, m_opsets);
    const Node &node = m_graph.node(id);
    std::string key = signatureOf(Call(node, operandsOf(m_graph, node), m_opsets(node.domain)));
    for (const NodeCut &cut : cuts)
        key += textOf(cut);
    if (const auto at = m_known.find(key); at != m_known.end()) {
        NodePart part = at->second;
        Attributes attributes = std::move(part.node.attributes);
        part.node = node;
        part.node.attributes = std::move(attributes);
        return part;
    }
    auto part = nodePart(m_graph, id, cuts, m_opsets);
    if (part)
        m_known.emplace(std::move(key), *part);
    return part;
}

} // namespace graphloom::magis
