// SPDX-License-Identifier: Apache-2.0
#include "plugins/magis/graph/memory_graph.h"

#include "engine/base/steps.h"
#include "engine/ir/opsets.h"
#include "engine/ops/derive/analysis.h"
#include "engine/ops/derive/call_part.h"
#include "engine/ops/derive/passing.h"
#include "engine/ops/describe/stage_facts.h"
#include "engine/ops/gradient/gradient.h"

#include <algorithm>
#include <functional>
#include <map>

namespace graphloom::magis {

namespace {

std::int64_t bytesOf(const Tensor &tensor)
{
    std::int64_t elements = 1;
    for (const Dim &extent : *tensor.shape)
        elements *= extent.value();
    return (elements * bitsOf(tensor.type) + 7) / 8;
}

template <class T> void insertSorted(std::vector<T> &list, T value)
{
    const auto at = std::ranges::lower_bound(list, value);
    if (at == list.end() || *at != value)
        list.insert(at, value);
}

} // namespace

Result<MemoryGraph> MemoryGraph::of(const Graph &graph, const Opsets &opsets, const Device &device,
                                    bool weights, const std::stop_token &stop)
{
    MemoryGraph result;
    result.m_graph = graph;
    result.m_opsets = opsets;
    result.m_device = device;
    result.m_bufferOf.resize(graph.tensorBound());
    result.m_stepOf.resize(graph.nodeBound());
    result.m_works.resize(graph.nodeBound());
    result.m_canBeCut.resize(graph.nodeBound());
    for (const NodeId id : graph.order()) {
        if (stop.stop_requested())
            return stoppedError();
        GL_TRY(result.addNode(id, opsets));
    }
    result.link();
    if (!weights)
        result.m_resident = 0;
    return result;
}

/// Tells which splits can be cut. Models repeat blocks, so each distinct call is analysed once.
std::vector<bool> MemoryGraph::cuttable(const Call &call, const Description &description,
                                        std::span<const Split> splits)
{
    if (splits.empty())
        return {};
    const auto [at, added] = m_cuttable.try_emplace(signatureOf(call));
    if (added) {
        const CallPart whole = wholeCall(call, description);
        for (const Split &split : splits)
            at->second.push_back(graphloom::canBeCut(whole, split));
    }
    return at->second;
}

BufferIndex MemoryGraph::newBuffer(TensorId tensor)
{
    BufferIndex &index = m_bufferOf[tensor.index];
    if (!index.isValid()) {
        Buffer buffer;
        buffer.tensor = tensor;
        buffer.views = {tensor};
        buffer.bytes = bytesOf(m_graph.tensor(tensor));
        buffer.resident = m_graph.tensor(tensor).constant != nullptr;
        index = m_buffers.append(std::move(buffer));
    }
    return index;
}

Result<void> MemoryGraph::addNode(NodeId id, const Opsets &opsets)
{
    const Node &node = m_graph.node(id);
    const auto known = [&](TensorId tensor) {
        const auto &shape = m_graph.tensor(tensor).shape;
        return shape && isStatic(*shape) && m_graph.tensor(tensor).type != DataType::Undefined;
    };
    std::vector<const Tensor *> inputs = operandsOf(m_graph, node);
    for (const auto *list : {&node.inputs, &node.outputs, &node.captures})
        for (const TensorId tensor : *list)
            if (tensor.valid() && !known(tensor))
                return fail(
                    Error::Kind::Model,
                    "the shape of tensor \"" + m_graph.tensor(tensor).name +
                        "\" is not fixed, so its memory is unknown; set the input shapes (Model > "
                        "Input shapes, or --input and --batch-size), or do not run magis",
                    node.label());
    const Call call(node, inputs, opsets(node.domain));
    GL_TRY_CONST(description, describe(call));
    m_works[id.index] = CallWork(*description, call);
    m_canBeCut[id.index] = cuttable(call, *description, m_works[id.index].splits());

    if (!description->isOpaque() && node.outputs.size() == 1) {
        const auto handedOn = inputHandedOn(*description, call, 0);
        if (handedOn && call.type(std::size_t(*handedOn)) == m_graph.tensor(node.outputs[0]).type) {
            const BufferIndex buffer = newBuffer(node.inputs[std::size_t(*handedOn)]);
            m_bufferOf[node.outputs[0].index] = buffer;
            m_buffers[buffer].views.push_back(node.outputs[0]);
            return {};
        }
    }
    Step step;
    step.node = id;
    const Operator *entry = findOperator(node.domain, node.op, opsets(node.domain));
    step.once =
        entry && entry->draws && description->isOpaque() && !node.attributes.contains("seed");
    step.addsToSum = canAddToSum(node, *description);
    forEachRead(
        node, [&](TensorId tensor, std::uint32_t) { insertSorted(step.reads, newBuffer(tensor)); });
    for (const TensorId output : node.outputs)
        if (output.valid()) {
            step.writes.push_back(newBuffer(output));
            m_buffers[step.writes.back()].producer = m_steps.nextIndex();
        }
    if (!step.writes.empty())
        for (const int input : inputsOverwritable(*description, call)) {
            const BufferIndex buffer = bufferOf(node.inputs[std::size_t(input)]);
            if (m_buffers[buffer].bytes >= m_buffers[step.writes[0]].bytes)
                insertSorted(step.overwrites, buffer);
        }
    m_stepOf[id.index] = m_steps.append(std::move(step));
    return {};
}

void MemoryGraph::link()
{
    for (const TensorId output : m_graph.outputs())
        m_buffers[newBuffer(output)].kept = true;
    for (const StepIndex s : m_steps.indices())
        for (const BufferIndex b : m_steps[s].reads)
            m_buffers[b].readers.push_back(s);
    findUpdates();
    for (const StepIndex s : m_steps.indices())
        for (const BufferIndex b : m_steps[s].reads)
            if (const StepIndex producer = m_buffers[b].producer; producer.isValid()) {
                insertSorted(m_steps[s].before, producer);
                insertSorted(m_steps[producer].after, s);
            }
    for (const Buffer &buffer : m_buffers)
        if (buffer.resident)
            m_resident += buffer.bytes;
    for (const Step &step : m_steps) {
        for (const BufferIndex b : step.reads)
            if (!m_buffers[b].resident)
                m_reads.push_back(b);
        m_reads.finishList();
    }
    numberKinds();
}

/// Lets an update overwrite its weight, or an optimizer state that is an input of the graph, once
/// all other readers have run. This must hold in the graph's own order, too: otherwise the
/// dependences would form a cycle.
void MemoryGraph::findUpdates()
{
    for (const StepIndex s : m_steps.indices()) {
        Step &step = m_steps[s];
        std::vector<BufferIndex> places = step.overwrites;
        std::erase_if(places, [&](BufferIndex b) {
            const Buffer &old = m_buffers[b];
            return old.producer.isValid() || old.kept || old.readers.back() != s;
        });
        std::ranges::stable_sort(places, std::ranges::greater{}, [&](BufferIndex b) {
            return m_buffers[b].resident; // its memory is taken in any case
        });
        for (const BufferIndex written : step.writes) {
            Buffer &update = m_buffers[written];
            const auto place = std::ranges::find_if(
                places, [&](BufferIndex b) { return m_buffers[b].bytes == update.bytes; });
            if (!update.kept || place == places.end())
                continue;
            update.updates = *place;
            Buffer &old = m_buffers[*place];
            old.kept = !old.resident; // it lives on as the update
            for (const StepIndex reader : old.readers)
                if (reader != s) {
                    insertSorted(step.before, reader);
                    insertSorted(m_steps[reader].after, s);
                }
            places.erase(place);
        }
    }
}

/// Gives steps the same kind if the cost model cannot tell them apart, whole or in parts.
void MemoryGraph::numberKinds()
{
    std::map<std::vector<double>, StepKind> known;
    m_seconds.clear();
    m_workspaces.clear();
    for (Step &step : m_steps) {
        const CallWork &work = m_works[step.node.index];
        std::vector<double> facts;
        if (m_times)
            facts.push_back(m_times->kindOf(step.node).number());
        const auto add = [&](std::span<const CallWork::Cut> cuts) {
            const KernelWork kernel = work.work(cuts);
            facts.insert(facts.end(), {kernel.flops, kernel.bytes});
            for (const MatrixWork &product : kernel.products)
                facts.insert(facts.end(),
                             {product.count, product.rows, product.columns, product.depth});
        };
        add({});
        for (int k = 0; k < int(work.splits().size()); ++k) {
            facts.push_back(double(work.splits()[std::size_t(k)].extent));
            const CallWork::Cut half{k, 0.5};
            add({&half, 1});
        }
        step.kind = known.try_emplace(std::move(facts), known.size()).first->second;
        m_seconds.push_back(seconds(step.node, {}));
        m_workspaces.push_back(workspace(step.node, {}));
    }
    m_kinds = int(known.size());
}

void MemoryGraph::use(std::shared_ptr<const CallTimes> times)
{
    m_times = std::move(times);
    numberKinds();
}

double MemoryGraph::seconds(NodeId node, std::span<const CallWork::Cut> cuts) const
{
    return m_times ? m_times->seconds(node, cuts)
                   : kernelSeconds(m_device, m_works[node.index].work(cuts));
}

} // namespace graphloom::magis
