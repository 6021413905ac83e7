// SPDX-License-Identifier: Apache-2.0
#include "engine/interpreter/graph_run.h"

#include "engine/interpreter/stages/stage_runner.h"
#include "engine/ops/describe/stage.h"

#include <algorithm>
#include <iterator>

namespace graphloom {

namespace {

Result<std::vector<DataValue>> asValues(Result<std::vector<TensorData>> given)
{
    GL_TRY_RESULT(tensors, std::move(given));
    return std::vector<DataValue>(std::make_move_iterator(tensors->begin()),
                                  std::make_move_iterator(tensors->end()));
}

} // namespace

void GraphRun::begin(const std::vector<DataValue> &inputs, const std::vector<DataValue> &captures)
{
    for (std::uint32_t t = 0; t < m_graph.tensorBound(); ++t) {
        const TensorId id{t};
        if (!m_graph.contains(id))
            continue;
        m_reads[t] = std::uint32_t(m_graph.uses(id).size());
        if (m_graph.tensor(id).constant)
            m_slots[t].value = *m_graph.tensor(id).constant;
    }
    for (const TensorId output : m_graph.outputs())
        ++m_reads[output.index]; // never released
    for (std::size_t i = 0; i < inputs.size(); ++i)
        m_slots[m_graph.inputs()[i].index].value = inputs[i];
    for (std::size_t i = 0; i < captures.size(); ++i)
        m_slots[m_graph.captured()[i].index].value = captures[i];
}

Result<void> GraphRun::step()
{
    GL_TRY(runNode(m_graph.node(next())));
    ++m_done;
    if (!m_nested)
        m_session.options.progress(double(m_done) / double(m_graph.nodeCount()));
    return {};
}

Result<std::vector<DataValue>> GraphRun::end()
{
    std::vector<DataValue> outputs;
    for (const TensorId output : m_graph.outputs()) {
        const Slot &slot = m_slots[output.index];
        if (!slot.value)
            return fail(Error::Kind::Model, "no node produces this output of the graph",
                        "tensor \"" + m_graph.tensor(output).name + "\"");
        outputs.push_back(*slot.value);
    }
    for (const Slot &slot : m_slots)
        if (slot.isCounted)
            m_session.liveBytes -= slot.value->bytes();
    return outputs;
}

Result<std::vector<DataValue>> GraphRun::run(const std::vector<DataValue> &inputs,
                                             const std::vector<DataValue> &captures)
{
    if (m_session.options.stop.stop_requested()) // a loop over a graph without nodes ends, too
        return stopped();
    begin(inputs, captures);
    while (!isAtEnd())
        GL_TRY(step());
    return end();
}

Result<void> GraphRun::runNode(const Node &node)
{
    if (m_session.options.stop.stop_requested())
        return stopped();
    std::vector<const DataValue *> inputs;
    std::vector<Tensor> tensors;
    tensors.reserve(node.inputs.size()); // keeps pointers to elements valid
    std::vector<const Tensor *> known;
    for (const TensorId id : node.inputs) {
        inputs.push_back(nullptr);
        known.push_back(nullptr);
        if (!id.valid())
            continue;
        const Tensor &tensor = m_graph.tensor(id);
        const auto &value = m_slots[id.index].value;
        if (!value)
            return fail(Error::Kind::Model, "no node produces this input of a node",
                        "tensor \"" + tensor.name + "\"");
        const TensorData *data = value->tensor();
        tensors.push_back(data ? Tensor::of(tensor.name, *data) : tensor);
        inputs.back() = &*value;
        known.back() = &tensors.back();
    }
    const std::uint64_t left =
        m_session.maxBytes - std::min(m_session.maxBytes, m_session.liveBytes);
    const Call call(node, std::move(known), m_session.opsets(node.domain),
                    std::max<std::uint64_t>(left, 1), &m_session.steps);
    GL_TRY_RESULT(outputs, runCall(call, inputs));
    if (outputs->size() < node.outputs.size())
        return call.refuse("computes " + std::to_string(outputs->size()) + " of " +
                           std::to_string(node.outputs.size()) + " outputs");
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        const TensorId id = node.outputs[k];
        if (!id.valid())
            continue;
        if (!m_nested && m_session.options.computed)
            m_session.options.computed(id, (*outputs)[k]);
        if (m_reads[id.index] == 0)
            continue;
        m_session.liveBytes += (*outputs)[k].bytes();
        m_slots[id.index] = {std::move((*outputs)[k]), true};
    }
    forEachRead(node, [this](TensorId id, std::uint32_t) { release(id); });
    return {};
}

void GraphRun::release(TensorId id)
{
    if (--m_reads[id.index] > 0)
        return;
    Slot &slot = m_slots[id.index];
    if (slot.isCounted)
        m_session.liveBytes -= slot.value->bytes();
    slot = {};
}

Result<std::vector<DataValue>> GraphRun::runCall(const Call &call,
                                                 std::span<const DataValue *const> inputs)
{
    GL_TRY_CONST(description, describe(call));
    const Node &node = call.node();
    const Operator *entry = findOperator(node.domain, node.op, call.opset());
    if (description->isOpaque() && entry && entry->valueKernel)
        return entry->valueKernel(
            call, inputs, [&](std::string_view attribute, const std::vector<DataValue> &given) {
                return runNested(call, attribute, given);
            });
    if (description->isOpaque() && !(entry && entry->kernel))
        return call.refuse("not supported: " + node.qualifiedOp() + ", " + description->opaque);
    std::vector<const TensorData *> tensors;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        tensors.push_back(inputs[i] ? inputs[i]->tensor() : nullptr);
        if (inputs[i] && !tensors.back() && !entry->valueKernel)
            return call.refuse("its input \"" + call.input(i).name + "\" must be a tensor, got " +
                               std::string(nameOf(inputs[i]->kind())));
    }
    if (description->isOpaque())
        return asValues(entry->kernel(call, tensors));
    return asValues(
        runStages(*description, call, tensors, {m_session.options.stop, call.maxBytes()}));
}

Result<std::vector<DataValue>> GraphRun::runNested(const Call &call, std::string_view attribute,
                                                   const std::vector<DataValue> &inputs)
{
    const Graph *graph = nullptr;
    std::size_t first = 0; // of its captures among those of the node
    for (const Attribute &candidate : call.attributes()) {
        if (candidate.name == attribute) {
            graph = call.attributes().graph(attribute);
            break;
        }
        for (const GraphPointer &other : graphsOf(candidate.value))
            first += other->captured().size();
    }
    if (!graph)
        return call.refuse("has no graph \"" + std::string(attribute) + "\"");
    if (graph->inputs().size() != inputs.size())
        return call.refuse("its graph \"" + std::string(attribute) + "\" has " +
                           std::to_string(graph->inputs().size()) + " inputs, but " +
                           std::to_string(inputs.size()) + " were given");
    std::vector<DataValue> captures;
    for (std::size_t i = 0; i < graph->captured().size(); ++i)
        captures.push_back(*m_slots[call.node().captures[first + i].index].value);
    return GraphRun(*graph, m_session, true).run(inputs, captures);
}

} // namespace graphloom
