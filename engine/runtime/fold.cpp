// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/fold.h"

#include "engine/ops/analysis.h"
#include "engine/ops/infer.h"
#include "engine/runtime/interpreter.h"

#include <algorithm>

namespace graphloom {

namespace {

/// Points that folding one node may visit; constants are small, weights are not recomputed.
constexpr std::int64_t mostPoints = std::int64_t{1} << 26;

std::optional<TensorData::Extents> staticExtents(const Value &value)
{
    if (!value.shape || !staticElements(*value.shape))
        return std::nullopt;
    TensorData::Extents extents;
    for (const Dim &dim : *value.shape)
        extents.push_back(dim.value());
    return extents;
}

/// Does the call hand all elements of input 0 on, in their order? Then its result can share
/// the input's data.
bool copiesInOrder(const Description &description)
{
    if (description.isOpaque() || description.stages.size() != 1)
        return false;
    const Stage &stage = description.stages.front();
    return stage.body->fn == Fn::Load && stage.finish.empty() && stage.reads.size() == 1 &&
           stage.reads[0].operand == Operand{Operand::Kind::Input, 0} &&
           mappingType(description, 0, 0) <= MappingType::Reorganize;
}

/// Does the call only move or repeat elements of input 0?
bool onlyMoves(const Description &description)
{
    return !description.isOpaque() && description.stages.size() == 1 &&
           description.stages[0].body->fn == Fn::Load && description.stages[0].finish.empty() &&
           description.stages[0].combine == Combine::None &&
           description.stages[0].reads[0].outside != Read::Outside::Value;
}

class Folder {
public:
    Folder(const Graph &graph, const Opsets &opsets, std::uint64_t maxBytes)
        : m_opsets(opsets), m_maxBytes(maxBytes), m_editor(graph)
    {
    }

    Result<Graph> run()
    {
        const std::vector<NodeId> order(m_editor.graph().order().begin(),
                                        m_editor.graph().order().end());
        for (const NodeId id : order)
            if (auto folded = foldNode(id); !folded)
                return tl::unexpected(folded.error());
        m_editor.removeUnused();
        return std::move(m_editor).finish();
    }

private:
    /// The tensor is a constant of these very elements: an operator passed it through.
    bool holds(TensorId tensor, const TensorData &data) const
    {
        const auto &constant = m_editor.graph().tensor(tensor).constant;
        return constant && constant->bytes().data() == data.bytes().data() &&
               constant->hash() == data.hash(); // type and extents, too
    }
    Result<void> foldNode(NodeId id);
    std::optional<std::vector<TensorData>> knownOutputs(NodeId id, const Call &call);
    std::optional<std::vector<TensorData>> integerOutputs(const Node &node) const;

    const Opsets &m_opsets;
    std::uint64_t m_maxBytes;
    GraphEditor m_editor;
};

/// Outputs whose elements inference knows as plain integers, as it does for shape arithmetic.
std::optional<std::vector<TensorData>> Folder::integerOutputs(const Node &node) const
{
    std::vector<TensorData> outputs;
    for (const TensorId id : node.outputs) {
        if (!id.valid())
            return std::nullopt;
        const Tensor &tensor = m_editor.graph().tensor(id);
        if (!tensor.values || !tensor.shape || tensor.type != DataType::Int64)
            return std::nullopt;
        std::vector<std::int64_t> integers;
        for (const Dim &value : *tensor.values) {
            if (!value.isConstant())
                return std::nullopt;
            integers.push_back(value.value());
        }
        TensorData::Extents extents;
        for (const Dim &dim : *tensor.shape)
            extents.push_back(dim.constant().value_or(-1));
        outputs.push_back(
            TensorData::fromValues<std::int64_t>(DataType::Int64, std::move(extents), integers));
    }
    return outputs;
}

std::optional<std::vector<TensorData>> Folder::knownOutputs(NodeId id, const Call &call)
{
    const Node &node = m_editor.graph().node(id);
    if (!node.captures.empty() || node.outputs.empty())
        return std::nullopt;
    if (auto integers = integerOutputs(node))
        return integers;
    std::vector<const TensorData *> inputs;
    for (std::size_t i = 0; i < call.inputCount(); ++i) {
        if (call.has(i) && !call.isConstant(i))
            return std::nullopt;
        inputs.push_back(call.has(i) ? call.input(i).constant.get() : nullptr);
    }
    const auto description = describe(call);
    if (!description || description->isOpaque())
        return std::nullopt; // random numbers and state must not be frozen into the model
    std::uint64_t bytes = 0;
    for (int k = 0; k < description->outputs; ++k) {
        const auto extents = staticExtents(description->values[std::size_t(k)]);
        if (!extents)
            return std::nullopt;
        bytes +=
            bytesOf(description->values[std::size_t(k)].type,
                    std::uint64_t(*staticElements(*description->values[std::size_t(k)].shape)));
    }
    if (description->outputs == 1 && !inputs.empty() && inputs[0]) {
        auto extents = *staticExtents(description->values[0]);
        if (copiesInOrder(*description))
            return std::vector{inputs[0]->reshaped(std::move(extents))};
        if (inputs[0]->isSplat() && onlyMoves(*description))
            return std::vector{
                TensorData::splat(inputs[0]->type(), std::move(extents),
                                  {inputs[0]->bytes().begin(), inputs[0]->bytes().end()})};
    }
    const auto points = iterationSpace(*description).constant();
    if (bytes > m_maxBytes || !points || *points > mostPoints)
        return std::nullopt;
    auto outputs = runStages(*description, call, inputs);
    if (!outputs)
        return std::nullopt; // it will fail where the model runs, with its own message
    return std::move(*outputs);
}

Result<void> Folder::foldNode(NodeId id)
{
    const Graph &graph = m_editor.graph();
    const Node node = graph.node(id);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    const Call call(node, std::move(inputs), m_opsets(node.domain));
    auto outputs = knownOutputs(id, call);
    if (!outputs)
        return {};
    m_editor.removeNode(id);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        const TensorId output = node.outputs[k];
        if (!output.valid())
            continue;
        TensorData &data = (*outputs)[k];
        const auto same = std::ranges::find_if(
            node.inputs, [&](TensorId input) { return input.valid() && holds(input, data); });
        if (same != node.inputs.end() && !graph.isOutput(output)) // those keep their names
            m_editor.replaceUses(output, *same);
        else
            m_editor.setTensor(output, Tensor::of(graph.tensor(output).name, std::move(data)));
    }
    return {};
}

} // namespace

Result<Graph> foldConstants(const Graph &graph, const Opsets &opsets, std::uint64_t maxBytes)
{
    Result<Graph> folded = Folder(graph, opsets, maxBytes).run();
    // Constants that have become known may tell shapes, and those further constants.
    for (std::size_t before = graph.nodeCount(); folded && folded->nodeCount() < before;) {
        before = folded->nodeCount();
        const auto inferred = inferShapes(*folded, opsets);
        if (!inferred)
            return tl::unexpected(inferred.error());
        folded = Folder(inferred->graph, opsets, maxBytes).run();
    }
    return folded;
}

} // namespace graphloom
