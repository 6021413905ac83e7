// SPDX-License-Identifier: Apache-2.0
#include "engine/runtime/interpreter.h"

#include "engine/runtime/stage_runner.h"
#include "engine/runtime/stage_values.h"

#include <algorithm>
#include <optional>
#include <tbb/task_arena.h>

namespace graphloom {

namespace {

/// What all graphs of one run share: the main one and those nested in it.
struct Session {
    const Opsets &opsets;
    const InterpreterOptions &options;
    std::uint64_t maxBytes;
    std::uint64_t liveBytes = 0; // of intermediate results
};

std::uint64_t bytesTaken(const TensorData &data)
{
    if (data.type() == DataType::String)
        return std::uint64_t(data.elements()) * sizeof(std::string);
    return data.bytes().size();
}

/// A value of the running graph. Constants and values of the graph around it are not owned.
class Slot {
public:
    void set(TensorData data) { m_own = std::move(data); }
    void refer(const TensorData *data) { m_other = data; }
    void clear()
    {
        m_own.reset();
        m_other = nullptr;
    }
    const TensorData *get() const { return m_own ? &*m_own : m_other; }
    bool owns() const { return m_own.has_value(); }

private:
    std::optional<TensorData> m_own;
    const TensorData *m_other = nullptr;
};

class GraphRun {
public:
    GraphRun(const Graph &graph, Session &session, bool nested)
        : m_graph(graph), m_session(session), m_nested(nested), m_slots(graph.tensorBound()),
          m_reads(graph.tensorBound(), 0)
    {
    }

    Result<std::vector<TensorData>> run(const std::vector<TensorData> &inputs,
                                        const std::vector<const TensorData *> &captures);

private:
    Result<void> runNode(const Node &node);
    Result<std::vector<TensorData>> runCall(const Call &call,
                                            std::span<const TensorData *const> inputs);
    Result<std::vector<TensorData>> runNested(const Call &call, std::string_view attribute,
                                              const std::vector<TensorData> &inputs);
    void release(TensorId id);

    const Graph &m_graph;
    Session &m_session;
    bool m_nested;
    std::vector<Slot> m_slots;          // by tensor id
    std::vector<std::uint32_t> m_reads; // how many reads are still to come
};

Result<std::vector<TensorData>> GraphRun::run(const std::vector<TensorData> &inputs,
                                              const std::vector<const TensorData *> &captures)
{
    for (std::uint32_t t = 0; t < m_graph.tensorBound(); ++t) {
        const TensorId id{t};
        if (!m_graph.contains(id))
            continue;
        m_reads[t] = std::uint32_t(m_graph.uses(id).size());
        if (m_graph.tensor(id).constant)
            m_slots[t].refer(m_graph.tensor(id).constant.get());
    }
    for (const TensorId output : m_graph.outputs())
        ++m_reads[output.index]; // never released
    for (std::size_t i = 0; i < inputs.size(); ++i)
        m_slots[m_graph.inputs()[i].index].refer(&inputs[i]);
    for (std::size_t i = 0; i < captures.size(); ++i)
        m_slots[m_graph.captured()[i].index].refer(captures[i]);

    std::size_t done = 0;
    for (const NodeId id : m_graph.order()) {
        if (auto ran = runNode(m_graph.node(id)); !ran)
            return tl::unexpected(ran.error());
        ++done;
        if (!m_nested)
            m_session.options.progress(double(done) / double(m_graph.nodeCount()));
    }

    std::vector<TensorData> outputs;
    for (const TensorId output : m_graph.outputs()) {
        const Slot &slot = m_slots[output.index];
        if (!slot.get())
            return fail(Error::Kind::Model, "nothing computes the graph's output",
                        "tensor \"" + m_graph.tensor(output).name + "\"");
        outputs.push_back(*slot.get());
    }
    for (const Slot &slot : m_slots)
        if (slot.owns())
            m_session.liveBytes -= bytesTaken(*slot.get());
    return outputs;
}

Result<void> GraphRun::runNode(const Node &node)
{
    if (m_session.options.stop.stop_requested())
        return stopped();
    std::vector<const TensorData *> inputs;
    std::vector<Tensor> tensors;
    tensors.reserve(node.inputs.size()); // pointers to them are taken
    std::vector<const Tensor *> known;
    for (const TensorId id : node.inputs) {
        const TensorData *data = id.valid() ? m_slots[id.index].get() : nullptr;
        inputs.push_back(data);
        known.push_back(nullptr);
        if (data) {
            tensors.push_back(Tensor::of(m_graph.tensor(id).name, *data));
            known.back() = &tensors.back();
        }
    }
    const Call call(node, std::move(known), m_session.opsets(node.domain));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (node.inputs[i].valid() && !inputs[i])
            return call.refuse("its input \"" + m_graph.tensor(node.inputs[i]).name +
                               "\" is not a tensor, which is not supported");
    auto outputs = runCall(call, inputs);
    if (!outputs)
        return tl::unexpected(outputs.error());
    if (outputs->size() < node.outputs.size())
        return call.refuse("gives " + std::to_string(outputs->size()) + " outputs of " +
                           std::to_string(node.outputs.size()));
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        const TensorId id = node.outputs[k];
        if (!id.valid() || m_reads[id.index] == 0)
            continue;
        m_session.liveBytes += bytesTaken((*outputs)[k]);
        m_slots[id.index].set(std::move((*outputs)[k]));
    }
    forEachRead(node, [this](TensorId id, std::uint32_t) { release(id); });
    return {};
}

void GraphRun::release(TensorId id)
{
    Slot &slot = m_slots[id.index];
    if (--m_reads[id.index] > 0)
        return;
    if (slot.owns())
        m_session.liveBytes -= bytesTaken(*slot.get());
    slot.clear();
}

Result<std::vector<TensorData>> GraphRun::runCall(const Call &call,
                                                  std::span<const TensorData *const> inputs)
{
    const auto description = describe(call);
    if (!description)
        return tl::unexpected(description.error());
    if (!description->isOpaque()) {
        const std::uint64_t left =
            m_session.maxBytes - std::min(m_session.maxBytes, m_session.liveBytes);
        return runStages(*description, call, inputs,
                         {m_session.options.stop, std::max<std::uint64_t>(left, 1)});
    }
    const Node &node = call.node();
    const Operator *entry = findOperator(node.domain, node.op, call.opset());
    if (entry && entry->nestedKernel)
        return entry->nestedKernel(
            call, inputs, [&](std::string_view attribute, const std::vector<TensorData> &given) {
                return runNested(call, attribute, given);
            });
    if (entry && entry->kernel)
        return entry->kernel(call, inputs);
    return call.refuse("cannot be run: " + description->opaque);
}

Result<std::vector<TensorData>> GraphRun::runNested(const Call &call, std::string_view attribute,
                                                    const std::vector<TensorData> &inputs)
{
    const Graph *graph = nullptr;
    std::size_t first = 0; // its captures among those of the node
    for (const Attribute &candidate : call.attributes()) {
        const auto *held = std::get_if<GraphPointer>(&candidate.value);
        if (!held)
            continue;
        if (candidate.name == attribute) {
            graph = held->get();
            break;
        }
        first += (*held)->captured().size();
    }
    if (!graph)
        return call.refuse("lacks the graph \"" + std::string(attribute) + "\"");
    if (graph->inputs().size() != inputs.size())
        return call.refuse("its graph \"" + std::string(attribute) + "\" takes " +
                           std::to_string(graph->inputs().size()) + " inputs instead of " +
                           std::to_string(inputs.size()));
    std::vector<const TensorData *> captures;
    for (std::size_t i = 0; i < graph->captured().size(); ++i) {
        const TensorId id = call.node().captures[first + i];
        captures.push_back(m_slots[id.index].get());
        if (!captures.back())
            return call.refuse("its captured \"" + m_graph.tensor(id).name +
                               "\" is not a tensor, which is not supported");
    }
    return GraphRun(*graph, m_session, true).run(inputs, captures);
}

/// Do the given inputs have the types and shapes that the graph declares?
Result<void> checkInputs(const Graph &graph, const std::vector<TensorData> &inputs)
{
    if (inputs.size() != graph.inputs().size())
        return fail(Error::Kind::Usage, "the graph takes " + std::to_string(graph.inputs().size()) +
                                            " inputs, " + std::to_string(inputs.size()) +
                                            " were given");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Tensor &declared = graph.tensor(graph.inputs()[i]);
        const Shape given(inputs[i].extents().begin(), inputs[i].extents().end());
        bool fits = declared.type == DataType::Undefined || declared.type == inputs[i].type();
        if (declared.shape) {
            fits = fits && declared.shape->size() == given.size();
            for (std::size_t d = 0; fits && d < given.size(); ++d)
                fits = !(*declared.shape)[d].isConstant() || (*declared.shape)[d] == given[d];
        }
        if (!fits)
            return fail(Error::Kind::Usage,
                        "is " + std::string(nameOf(declared.type)) + " of shape " +
                            (declared.shape ? text(*declared.shape) : "?") + ", it was given " +
                            std::string(nameOf(inputs[i].type())) + " of shape " + text(given),
                        "input \"" + declared.name + "\"");
    }
    return {};
}

} // namespace

Result<std::vector<TensorData>> interpret(const Graph &graph, const Opsets &opsets,
                                          const std::vector<TensorData> &inputs,
                                          const InterpreterOptions &options)
{
    if (auto checked = checkInputs(graph, inputs); !checked)
        return tl::unexpected(checked.error());
    Session session{opsets, options, options.maxBytes != 0 ? options.maxBytes : machineMemory()};
    tbb::task_arena arena(options.threads != 0 ? int(options.threads) : tbb::task_arena::automatic);
    return arena.execute([&] { return GraphRun(graph, session, false).run(inputs, {}); });
}

} // namespace graphloom
