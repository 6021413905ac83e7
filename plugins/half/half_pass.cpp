// SPDX-License-Identifier: Apache-2.0
#include "plugins/half/half_pass.h"

#include "engine/onnx/nodes/free_types.h"
#include "engine/ops/derive/infer.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace graphloom::half {

namespace {

constexpr double largest = 65504; // of float16

/// Makes the new graph node by node, in its order. A tensor that a node now writes in half
/// precision is another one; where single precision is needed, a conversion makes the former one
/// of it.
class Conversion {
public:
    Conversion(const Graph &graph, const Opsets &opsets)
        : m_graph(graph), m_opsets(opsets), m_editor(graph)
    {
    }

    Result<Graph> run(const Context &context)
    {
        std::vector<NodeId> order;
        std::size_t done = 0;
        for (const NodeId id : m_graph.order()) {
            if (context.stop.stop_requested())
                return m_graph; // as a plan without this pass
            m_order = &order;
            convert(id);
            context.progress(double(++done) / double(m_graph.nodeCount()), "converting");
        }
        for (const TensorId id : m_graph.outputs())
            single(id);
        m_editor.setOrder(std::move(order));
        m_editor.removeUnused();
        return std::move(m_editor).finish();
    }

private:
    void convert(NodeId id)
    {
        Node node = m_graph.node(id);
        const FreeTypes free =
            freeTypes(m_graph, node, m_opsets(node.domain), DataType::Float, DataType::Float16);
        if (!free.any() || needsRange(node, free)) {
            forEachRead(node, [&](TensorId tensor, std::uint32_t) { single(tensor); });
            m_order->push_back(id);
            return;
        }
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (free.inputs[i])
                node.inputs[i] = halved(node.inputs[i]);
            else if (node.inputs[i].valid())
                single(node.inputs[i]);
        m_editor.removeNode(id); // before its outputs get others
        std::vector<TensorId> outputs = node.outputs;
        for (std::size_t i = 0; i < node.outputs.size(); ++i)
            if (free.outputs[i])
                node.outputs[i] = m_halves[outputs[i]] = inHalf(outputs[i]);
        if (node.origins.empty())
            node.origins = {id};
        m_order->push_back(m_editor.addNode(std::move(node)));
    }

    /// Tells whether a number that the node adds, multiplies by or divides by is one that half
    /// precision makes zero of, such as the epsilon of a normalization.
    bool needsRange(const Node &node, const FreeTypes &free) const
    {
        for (std::size_t i = 0; i < node.inputs.size(); ++i)
            if (free.inputs[i])
                if (const auto &constant = m_graph.tensor(node.inputs[i]).constant;
                    constant && constant->elements() == 1 && vanishes(*constant))
                    return true;
        return false;
    }

    /// Adds a tensor of half precision that stands for another one.
    TensorId inHalf(TensorId id)
    {
        Tensor tensor = m_graph.tensor(id);
        tensor.name += ".half";
        tensor.type = DataType::Float16;
        return m_editor.addTensor(std::move(tensor));
    }

    TensorId halved(TensorId id)
    {
        if (const auto known = m_halves.find(id); known != m_halves.end())
            return known->second;
        const TensorId half = inHalf(id);
        m_halves.emplace(id, half);
        if (const auto &constant = m_graph.tensor(id).constant) {
            Tensor tensor = m_editor.graph().tensor(half);
            tensor.constant = std::make_shared<const TensorData>(halfOf(*constant));
            m_editor.setTensor(half, std::move(tensor));
        } else {
            m_singles.insert(id);
            add(id, half, DataType::Float16);
        }
        return half;
    }

    /// Makes sure that the former tensor is there.
    void single(TensorId id)
    {
        const auto half = m_halves.find(id);
        const bool isMade = !m_graph.producer(id).valid() || m_singles.contains(id);
        if (half == m_halves.end() || isMade)
            return;
        m_singles.insert(id);
        add(half->second, id, DataType::Float);
    }

    /// Adds a conversion.
    void add(TensorId from, TensorId to, DataType type)
    {
        Node cast;
        cast.op = "Cast";
        cast.name = m_editor.graph().tensor(to).name + ".cast";
        cast.inputs = {from};
        cast.outputs = {to};
        cast.attributes = Attributes({{"to", std::int64_t(type)}});
        const NodeId producer = m_graph.producer(m_graph.contains(to) ? to : from);
        if (producer.valid())
            cast.origins = {producer};
        m_order->push_back(m_editor.addNode(std::move(cast)));
    }

    const Graph &m_graph;
    const Opsets &m_opsets;
    GraphEditor m_editor;
    std::vector<NodeId> *m_order = nullptr;
    std::map<TensorId, TensorId> m_halves; // by the former tensors
    std::set<TensorId> m_singles;          // former tensors that nodes still write
};

} // namespace

std::string_view HalfPass::help() const
{
    return "Brings tensors to half precision (float16) where the definitions of the operators "
           "allow it; inputs and outputs of the model stay as they are. Weights and intermediate "
           "results take half the memory. Numbers beyond the range become the largest one, 65,504. "
           "Check what it does to the outputs by --verify=1e-2, or in the panel Verification. Run "
           "it before passes that fuse.";
}

TensorData halfOf(const TensorData &constant)
{
    const auto encode = [&](std::int64_t i, std::byte *to) {
        encodeReal(DataType::Float16, std::clamp(constant.real(i), -largest, largest), to);
    };
    constexpr std::size_t bytes = 2;
    const std::size_t count = constant.isSplat() ? 1 : std::size_t(constant.elements());
    std::vector<std::byte> elements(bytes * count);
    for (std::size_t i = 0; i < count; ++i)
        encode(std::int64_t(i), elements.data() + bytes * i);
    return constant.isSplat()
               ? TensorData::splat(DataType::Float16, constant.extents(), std::move(elements))
               : TensorData::fromBytes(DataType::Float16, constant.extents(), std::move(elements));
}

bool vanishes(const TensorData &constant)
{
    constexpr double least = 0x1p-14; // smaller ones lose digits
    for (std::int64_t i = 0;
         i < (constant.isSplat() ? std::min<std::int64_t>(1, constant.elements())
                                 : constant.elements());
         ++i)
        if (const double element = std::abs(constant.real(i)); element > 0 && element < least)
            return true;
    return false;
}

Result<Plan> HalfPass::run(Plan plan, const Context &context) const
{
    if (plan.training)
        return fail(Error::Kind::Usage, "training steps need single precision");
    const Opsets opsets = opsetsOf(*plan.model);
    GL_TRY_CONST(converted, Conversion(plan.graph, opsets).run(context));
    GL_TRY_RESULT(inferred, inferShapes(*converted, opsets, context.stop));
    plan.graph = std::move(inferred->graph);
    return plan;
}

} // namespace graphloom::half
