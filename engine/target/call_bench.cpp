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

    Result<void> add(KernelCalls calls)
    {
        m_prefix = "kernel" + std::to_string(m_bench.kernels.size()) + ".";
        m_bench.layouts.emplace_back();
        m_bench.kernels.emplace_back();
        m_operands.clear();
        m_computed.clear();
        for (const CallPart &call : calls)
            GL_TRY(addCall(call));
        m_blocks.push_back(m_bench.kernels.back());
        for (const CallPart &call : calls)
            forEachRead(call.node, [&](TensorId tensor, std::uint32_t) {
                if (const auto own = m_computed.find(tensor); own != m_computed.end())
                    ++own->second.uses;
            });
        for (const CallPart &call : calls)
            for (const TensorId output : call.node.outputs)
                if (output.valid() && leaves(output))
                    handOn(output, m_computed.at(output).tensor);
        return {};
    }

    Result<KernelBench> finish()
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
        std::vector<Runnable> filled = {{"the kernels", std::move(inferred->graph), opsets}};
        GL_TRY(fillSplatWeights(filled, {.seed = fillSeed}));
        model->graph = filled.front().graph;
        m_bench.plan.original = m_bench.plan.graph = model->graph;
        m_bench.plan.model = std::move(model);
        m_bench.plan.fusion = blocks();
        auto layouts = std::make_shared<LayoutPlan>();
        layouts->tensors = std::move(m_layouts);
        m_bench.plan.layouts = std::move(layouts);
        return std::move(m_bench);
    }

private:
    /// Returns the kernels and the negations around them as blocks.
    std::shared_ptr<const FusionPlan> blocks()
    {
        const Graph &graph = m_bench.plan.graph;
        auto fusion = std::make_shared<FusionPlan>();
        for (std::vector<NodeId> &nodes : m_blocks) {
            std::ranges::sort(nodes, {}, [&](NodeId id) { return graph.position(id); });
            BlockInterface crossing = interfaceOf(graph, nodes);
            FusionBlock &block = fusion->blocks.emplace_back();
            block.inputs = std::move(crossing.inputs);
            block.outputs = std::move(crossing.outputs);
            fusion->partition.subgraphs.push_back({.nodes = std::move(nodes)});
        }
        fusion->partition.index(graph);
        return fusion;
    }

    /// A result of the kernel that is added.
    struct Computed {
        TensorId tensor;      // in the bench
        std::size_t uses = 0; // by the kernel's own nodes
    };
    /// An operand of that kernel, whole or in part.
    struct Operand {
        TensorId original;
        TensorPart part;
        TensorId tensor; // in the bench
    };

    Result<void> addCall(const CallPart &call)
    {
        const Node &whole = call.node;
        if (!whole.captures.empty())
            return fail(Error::Kind::Model,
                        "has a nested graph that reads tensors of its parent graph", whole.label());
        Node node = whole;
        node.metadata.clear();
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (node.inputs[i].valid())
                node.inputs[i] = operand(call, i);
        for (std::size_t o = 0; o < node.outputs.size(); ++o)
            if (node.outputs[o].valid()) {
                Tensor result;
                result.name = nameOf("out");
                result.type = m_graph.tensor(node.outputs[o]).type;
                node.outputs[o] = m_editor.addTensor(std::move(result));
                m_computed[whole.outputs[o]].tensor = node.outputs[o];
            }
        node.name = m_prefix + node.name;
        m_bench.kernels.back().push_back(m_editor.addNode(node));
        if (!std::ranges::count(m_opsets, whole.domain, &OpsetImport::domain))
            m_opsets.push_back({whole.domain, call.opset});
        return {};
    }

    /// Tells whether a result of the kernel is read elsewhere, or by nobody.
    bool leaves(TensorId original) const
    {
        const std::size_t uses = m_computed.at(original).uses;
        return uses == 0 || m_graph.isOutput(original) || uses < m_graph.uses(original).size();
    }

    std::string nameOf(const char *what) { return m_prefix + what + std::to_string(m_names++); }

    TensorId operand(const CallPart &call, std::size_t i)
    {
        const TensorId original = call.node.inputs[i];
        if (const auto own = m_computed.find(original); own != m_computed.end())
            return own->second.tensor;
        // What a kernel reads twice is in the caches once.
        for (const Operand &known : m_operands)
            if (known.original == original && known.part == call.inputs[i])
                return known.tensor;
        const TensorId tensor = newOperand(call, i);
        m_operands.push_back({original, call.inputs[i], tensor});
        return tensor;
    }

    TensorId newOperand(const CallPart &call, std::size_t i)
    {
        const TensorId original = call.node.inputs[i];
        Tensor tensor = *call.operands[i];
        tensor.name = nameOf("in");
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
        read.name = nameOf("read");
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
        node.name = nameOf("neg");
        node.inputs = {from};
        node.outputs = {to};
        m_blocks.push_back({m_editor.addNode(std::move(node))});
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
    KernelBench m_bench;
    std::vector<OpsetImport> m_opsets;
    std::vector<TensorId> m_inputs, m_outputs;
    std::map<TensorId, Layout> m_layouts;
    std::vector<std::vector<NodeId>> m_blocks; // in a topological order
    std::string m_prefix;
    std::size_t m_names = 0;
    std::map<TensorId, Computed> m_computed; // by tensor of the graph, like the next
    std::vector<Operand> m_operands;
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

Result<KernelBench> benchOf(const Graph &graph, std::span<const KernelCalls> kernels,
                            const std::map<TensorId, Layout> &layouts)
{
    BenchWriter writer(graph, layouts);
    for (const KernelCalls calls : kernels)
        GL_TRY(writer.add(calls));
    return writer.finish();
}

std::int64_t benchBytes(KernelCalls calls)
{
    // Each tensor has a copy in another place and one more at the border.
    constexpr std::int64_t copies = 3;
    std::int64_t bytes = 0;
    for (const CallPart &call : calls) {
        for (const auto &operand : call.operands)
            if (operand)
                bytes += bytesOf(*operand);
        for (const Value &value : call.description.values) {
            Tensor result;
            result.shape = value.shape;
            result.type = value.type;
            bytes += bytesOf(result);
        }
    }
    return copies * bytes;
}

} // namespace graphloom
