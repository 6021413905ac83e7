// SPDX-License-Identifier: Apache-2.0
#include "engine/target/call_bench.h"

#include "engine/codegen/nests/nest_fusion.h"
#include "engine/codegen/storage/plan_storages.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>

namespace graphloom {

namespace {

constexpr std::uint64_t fillSeed = 1;

std::int64_t bytesOf(const Tensor &tensor)
{
    if (!tensor.shape || !isStatic(*tensor.shape))
        return 0;
    std::int64_t elements = 1;
    for (const Dim &extent : *tensor.shape)
        elements *= extent.value();
    return (elements * bitsOf(tensor.type) + 7) / 8;
}

/// Tells whether the order of dimensions matters for a tensor.
bool hasLayout(const Tensor &tensor)
{
    return tensor.shape && tensor.shape->size() >= 3 && tensor.type == DataType::Float;
}

/// Returns a constant that stands for part of another one.
TensorData constantLike(const Tensor &tensor)
{
    TensorData::Extents extents;
    for (const Dim &extent : *tensor.shape)
        extents.push_back(extent.value());
    std::vector<std::byte> element(std::size_t(graphloom::bytesOf(tensor.type, 1)));
    if (isFloatingPoint(tensor.type))
        encodeReal(tensor.type, 1, element.data());
    return TensorData::splat(tensor.type, std::move(extents), std::move(element));
}

class BenchWriter {
public:
    BenchWriter(const Graph &graph, const std::map<TensorId, Layout> &layouts)
        : m_graph(graph), m_known(layouts)
    {
    }

    Result<void> add(const CallPart &call)
    {
        const Node &whole = call.node;
        if (!whole.captures.empty())
            return fail(Error::Kind::Model,
                        "has a nested graph that reads tensors of its parent graph", whole.label());
        m_prefix = "call" + std::to_string(m_bench.calls.size()) + ".";
        m_bench.layouts.emplace_back();
        Node node = whole;
        node.metadata.clear();
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (node.inputs[i].valid())
                node.inputs[i] = operand(call, i, node);
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (node.outputs[o].valid()) {
                Tensor result;
                result.name = m_prefix + "out" + std::to_string(o);
                result.type = m_graph.tensor(node.outputs[o]).type;
                node.outputs[o] = m_editor.addTensor(std::move(result));
            }
        node.name = m_prefix + node.name;
        m_bench.calls.push_back(m_editor.addNode(node));
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (node.outputs[o].valid())
                handOn(whole.outputs[o], node.outputs[o]);
        if (!std::ranges::count(m_opsets, whole.domain, &OpsetImport::domain))
            m_opsets.push_back({whole.domain, call.opset});
        return {};
    }

    Result<CallBench> finish()
    {
        if (!std::ranges::count(m_opsets, std::string(), &OpsetImport::domain))
            m_opsets.push_back({"", normalOpset});
        m_editor.setInputs(std::move(m_inputs));
        m_editor.setOutputs(std::move(m_outputs));
        GL_TRY_RESULT(graph, std::move(m_editor).finish());
        auto model = std::make_shared<Model>();
        model->opsets = m_opsets;
        const Opsets opsets = opsetsOf(*model);
        GL_TRY_RESULT(inferred, inferShapes(*graph, opsets));
        std::vector<Runnable> filled = {{"the calls", std::move(inferred->graph), opsets}};
        GL_TRY(fillSplatWeights(filled, {.seed = fillSeed}));
        model->graph = filled.front().graph;
        m_bench.plan.original = m_bench.plan.graph = model->graph;
        m_bench.plan.model = std::move(model);
        auto layouts = std::make_shared<LayoutPlan>();
        layouts->tensors = std::move(m_layouts);
        m_bench.plan.layouts = std::move(layouts);
        return std::move(m_bench);
    }

private:
    TensorId operand(const CallPart &call, std::size_t i, const Node &node)
    {
        // A call that reads a tensor twice has it in the caches once.
        for (std::size_t other = 0; other < i; ++other)
            if (call.node.inputs[other] == call.node.inputs[i] &&
                call.inputs[other] == call.inputs[i])
                return node.inputs[other];
        const TensorId original = call.node.inputs[i];
        Tensor tensor = *call.operands[i];
        tensor.name = m_prefix + "in" + std::to_string(i);
        if (m_graph.tensor(original).constant && !tensor.constant)
            tensor.constant = std::make_shared<const TensorData>(constantLike(tensor));
        if (tensor.constant)
            return m_editor.addTensor(std::move(tensor));
        Tensor computed = tensor;
        const TensorId given = m_editor.addTensor(std::move(tensor));
        m_inputs.push_back(given);
        if (!hasLayout(computed) || !m_graph.producer(original).valid())
            return given;
        computed.name += ".computed";
        const TensorId copy = m_editor.addTensor(std::move(computed));
        addNegation(given, copy);
        choose(original, copy);
        return copy;
    }

    void handOn(TensorId original, TensorId result)
    {
        const Tensor &whole = m_graph.tensor(original);
        if (!hasLayout(whole) || m_graph.isOutput(original)) {
            m_outputs.push_back(result);
            return;
        }
        choose(original, result);
        Tensor read;
        read.name = m_prefix + "read" + std::to_string(m_outputs.size());
        read.type = whole.type;
        const TensorId copy = m_editor.addTensor(std::move(read));
        addNegation(result, copy);
        m_outputs.push_back(copy);
    }

    /// Adds a negation, a block of its own that no view can replace.
    void addNegation(TensorId from, TensorId to)
    {
        Node node;
        node.op = "Neg";
        node.name = m_prefix + "neg" + std::to_string(to.index);
        node.inputs = {from};
        node.outputs = {to};
        m_editor.addNode(std::move(node));
    }

    void choose(TensorId original, TensorId tensor)
    {
        const auto known = m_known.find(original);
        m_bench.layouts.back() += known == m_known.end()                  ? '-'
                                  : known->second == Layout::ChannelsLast ? 'l'
                                                                          : 'f';
        if (known != m_known.end())
            m_layouts[tensor] = known->second;
    }

    const Graph &m_graph;
    const std::map<TensorId, Layout> &m_known;
    GraphEditor m_editor;
    CallBench m_bench;
    std::vector<OpsetImport> m_opsets;
    std::vector<TensorId> m_inputs, m_outputs;
    std::map<TensorId, Layout> m_layouts;
    std::string m_prefix;
};

} // namespace

std::map<TensorId, Layout> kernelLayouts(const Graph &graph, const Opsets &opsets)
{
    PlanNests nests;
    std::set<TensorId> interpreted;
    for (const NodeId id : graph.order()) {
        auto block = nestsOf(graph, opsets, {id});
        nests.push_back(block ? std::optional(*std::move(block)) : std::nullopt);
        if (nests.back())
            continue;
        const Node &node = graph.node(id);
        forEachRead(node, [&](TensorId tensor, std::uint32_t) { interpreted.insert(tensor); });
        interpreted.insert(node.outputs.begin(), node.outputs.end());
    }
    std::map<TensorId, Layout> layouts;
    for (const auto &[tensor, storage] : storagesOf(graph, nests, interpreted).tensors) {
        if (!graph.contains(tensor) || !hasLayout(graph.tensor(tensor)) || storage.strides.empty())
            continue;
        // Other orders are requested by readers, which request them here as well.
        if (storage.strides.back() == 1)
            layouts[tensor] = Layout::ChannelsFirst;
        else if (storage.strides[1] == 1)
            layouts[tensor] = Layout::ChannelsLast;
    }
    return layouts;
}

Result<CallBench> benchOf(const Graph &graph, std::span<const CallPart *const> calls,
                          const std::map<TensorId, Layout> &layouts)
{
    BenchWriter writer(graph, layouts);
    for (const CallPart *call : calls)
        GL_TRY(writer.add(*call));
    return writer.finish();
}

std::int64_t benchBytes(const CallPart &call)
{
    // Each tensor has a copy in another place and one more at the border.
    constexpr std::int64_t copies = 3;
    std::int64_t bytes = 0;
    for (const auto &operand : call.operands)
        if (operand)
            bytes += bytesOf(*operand);
    for (const Value &value : call.description.values) {
        Tensor result;
        result.shape = value.shape;
        result.type = value.type;
        bytes += bytesOf(result);
    }
    return copies * bytes;
}

} // namespace graphloom
