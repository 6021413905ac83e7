// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/fold.h"

#include "engine/base/steps.h"
#include "engine/interpreter/spill.h"
#include "engine/interpreter/stages/stage_runner.h"
#include "engine/interpreter/uniform.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/infer.h"
#include "engine/ops/derive/passing.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <unordered_set>

namespace graphloom {

namespace {

/// Limits the points that folding one node may visit, so that only small constants are computed.
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

class Folder {
public:
    Folder(const Graph &graph, const Opsets &opsets, std::uint64_t maxBytes,
           const std::stop_token &stop)
        : m_opsets(opsets), m_maxBytes(maxBytes), m_stop(stop), m_editor(graph)
    {
    }

    Result<Graph> run()
    {
        const auto given = m_editor.graph().order();
        for (const NodeId id : std::vector<NodeId>(given.begin(), given.end())) {
            if (m_stop.stop_requested())
                return stoppedError();
            foldNode(id);
        }
        m_editor.removeUnused();
        std::erase_if(m_order, [&](NodeId id) { return !m_editor.graph().contains(id); });
        m_editor.setOrder(std::move(m_order)); // inserted nodes replace their node in place
        return std::move(m_editor).finish();
    }
    bool changed() const { return m_changed; }

private:
    /// Tells whether the tensor is a constant with these very elements, passed on by an operator.
    bool holds(TensorId tensor, const TensorData &data) const
    {
        const auto &constant = m_editor.graph().tensor(tensor).constant;
        return constant && constant->bytes().data() == data.bytes().data() &&
               constant->hash() == data.hash(); // includes type and extents
    }
    void foldNode(NodeId id);
    bool insertBody(const Node &node, NodeId id, const Call &call);
    void adopt(std::uint32_t first, const std::string &prefix);
    void replaceOutput(TensorId output, TensorId same, const std::vector<NodeId> &origins);
    std::optional<std::vector<TensorData>> knownOutputs(NodeId id, const Call &call);
    std::optional<std::vector<TensorData>> integerOutputs(const Node &node) const;

    const Opsets &m_opsets;
    std::uint64_t m_maxBytes;
    const std::stop_token &m_stop;
    GraphEditor m_editor;
    std::vector<NodeId> m_order;             // of the remaining nodes
    std::unordered_set<std::string> m_names; // of all tensors; filled on demand
    bool m_changed = false;
};

/// Returns outputs whose elements inference knows as integers, as with shape arithmetic.
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
    if (const auto passed = inputHandedOn(*description, call, 0);
        passed && description->outputs == 1)
        return std::vector{
            inputs[std::size_t(*passed)]->reshaped(*staticExtents(description->values[0]))};
    if (auto uniform = uniformResults(*description, call, inputs))
        return uniform;
    const auto points = iterationSpace(*description).constant();
    if (bytes > m_maxBytes || !points || *points > mostPoints)
        return std::nullopt;
    auto outputs = runStages(*description, call, inputs, {.stop = m_stop});
    if (!outputs)
        return std::nullopt; // cancelled, or it will fail at run time with its own message
    return spilled(std::move(*outputs), inputs);
}

/// Redirects the readers of a tensor without producer to another tensor of the same value.
void Folder::replaceOutput(TensorId output, TensorId same, const std::vector<NodeId> &origins)
{
    if (!m_editor.graph().isOutput(output))
        return m_editor.replaceUses(output, same);
    Node identity; // an output of the graph keeps its name
    identity.op = "Identity";
    identity.name = m_editor.graph().tensor(output).name;
    identity.inputs = {same};
    identity.outputs = {output};
    identity.origins = origins;
    m_order.push_back(m_editor.addNode(std::move(identity)));
}

/// Makes the tensors from `first` on fit into this graph: gives them unique names, and drops shapes
/// with symbols, which are named after tensors; inference finds them again.
void Folder::adopt(std::uint32_t first, const std::string &prefix)
{
    const Graph &graph = m_editor.graph();
    if (m_names.empty())
        for (std::uint32_t i = 0; i < first; ++i)
            if (graph.contains(TensorId{i}))
                m_names.insert(graph.tensor(TensorId{i}).name);
    for (std::uint32_t i = first; i < graph.tensorBound(); ++i) {
        Tensor tensor = graph.tensor(TensorId{i});
        while (!m_names.insert(tensor.name).second)
            tensor.name = prefix + "/" + tensor.name;
        if (tensor.shape && !isStatic(*tensor.shape))
            tensor.shape = std::nullopt;
        tensor.values = nullptr;
        m_editor.setTensor(TensorId{i}, std::move(tensor));
    }
}

/// Replaces the node with the nested graph that it is known to run.
bool Folder::insertBody(const Node &node, NodeId id, const Call &call)
{
    const Operator *entry = findOperator(node.domain, node.op, call.opset());
    const std::string_view chosen =
        entry && entry->chosenBody ? entry->chosenBody(call) : std::string_view();
    std::span<const TensorId> captures = node.captures;
    for (const Attribute &attribute : node.attributes)
        for (const GraphPointer &body : graphsOf(attribute.value)) {
            const auto own = captures.first(body->captured().size());
            captures = captures.subspan(own.size());
            if (attribute.name != chosen || !body->inputs().empty() ||
                body->outputs().size() < node.outputs.size())
                continue;
            m_editor.removeNode(id);
            const std::uint32_t first = m_editor.graph().tensorBound();
            const auto inserted = m_editor.insert(*body, {}, own, node.origins);
            adopt(first, node.name);
            for (const NodeId added : inserted.nodes)
                foldNode(added);
            for (std::size_t k = 0; k < node.outputs.size(); ++k)
                if (node.outputs[k].valid())
                    replaceOutput(node.outputs[k], inserted.outputs[k], node.origins);
            return true;
        }
    return false;
}

void Folder::foldNode(NodeId id)
{
    const Graph &graph = m_editor.graph();
    const Node node = graph.node(id);
    const Call call(node, operandsOf(graph, node), m_opsets(node.domain));
    if (insertBody(node, id, call)) {
        m_changed = true;
        return;
    }
    auto outputs = knownOutputs(id, call);
    if (!outputs) {
        m_order.push_back(id);
        return;
    }
    m_changed = true;
    m_editor.removeNode(id);
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        const TensorId output = node.outputs[k];
        if (!output.valid())
            continue;
        TensorData &data = (*outputs)[k];
        const auto same = std::ranges::find_if(
            node.inputs, [&](TensorId input) { return input.valid() && holds(input, data); });
        if (same != node.inputs.end() && !graph.isOutput(output)) // outputs keep their names
            m_editor.replaceUses(output, *same);
        else
            m_editor.setTensor(output, Tensor::of(graph.tensor(output).name, std::move(data)));
    }
}

} // namespace

Result<Graph> foldConstants(const Graph &graph, const Opsets &opsets, std::uint64_t maxBytes,
                            const std::stop_token &stop)
{
    Folder first(graph, opsets, maxBytes, stop);
    Result<Graph> folded = first.run();
    // New constants may determine shapes, and these further constants.
    for (bool changed = first.changed(); folded && changed;) {
        GL_TRY_CONST(inferred, inferShapes(*folded, opsets, stop));
        Folder next(inferred->graph, opsets, maxBytes, stop);
        folded = next.run();
        changed = next.changed();
    }
    return folded;
}

} // namespace graphloom
