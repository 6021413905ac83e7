// SPDX-License-Identifier: Apache-2.0
#include "engine/ops/infer.h"

#include "engine/ops/build.h"
#include "engine/ops/symbolic.h"

#include <algorithm>

namespace graphloom {

Opsets opsetsOf(const Model &model)
{
    return [imports = model.opsets](std::string_view domain) -> std::int64_t {
        for (const OpsetImport &import : imports)
            if (import.domain == domain)
                return import.version;
        return 0;
    };
}

namespace {

/// Symbols for the extents that only the running model tells, named after their tensor.
Shape withFreshSymbols(Shape shape, const Tensor &declared)
{
    for (std::size_t d = 0; d < shape.size(); ++d) {
        if (!build::isUnknown(shape[d]))
            continue;
        const bool stated = declared.shape && declared.shape->size() == shape.size();
        shape[d] = stated ? (*declared.shape)[d]
                          : Dim::symbol(declared.name + ".dim" + std::to_string(d));
    }
    return shape;
}

bool contradicts(const Shape &a, const Shape &b)
{
    if (a.size() != b.size())
        return true;
    for (std::size_t d = 0; d < a.size(); ++d)
        if ((a[d] - b[d]).constant().value_or(0) != 0)
            return true;
    return false;
}

class Inferrer {
public:
    Inferrer(const Graph &graph, const Opsets &opsets) : m_opsets(opsets), m_editor(graph) {}

    Result<Inference> run()
    {
        const std::vector<NodeId> order(m_editor.graph().order().begin(), m_editor.graph().order().end());
        for (const NodeId id : order)
            if (auto done = inferNode(id); !done)
                return tl::unexpected(done.error());
        auto graph = std::move(m_editor).finish();
        if (!graph)
            return tl::unexpected(graph.error());
        return Inference{std::move(*graph), std::move(m_warnings)};
    }

private:
    Result<void> inferNode(NodeId id);
    Result<void> inferNested(NodeId id);

    const Opsets &m_opsets;
    GraphEditor m_editor;
    std::vector<std::string> m_warnings;
};

/// Infers the graphs in a node's attributes, with what is known of the tensors they capture.
Result<void> Inferrer::inferNested(NodeId id)
{
    const Graph &graph = m_editor.graph();
    Node node = graph.node(id);
    const auto hasGraph = [](const Attribute &attribute) {
        return std::holds_alternative<GraphPointer>(attribute.value);
    };
    if (std::ranges::none_of(node.attributes, hasGraph))
        return {};
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    const Operator *entry = findOperator(node.domain, node.op, m_opsets(node.domain));
    const Call call(node, inputs, m_opsets(node.domain));
    std::size_t capture = 0;
    Attributes attributes = node.attributes;
    for (const Attribute &attribute : node.attributes) {
        if (!hasGraph(attribute))
            continue;
        const Graph &nested = *std::get<GraphPointer>(attribute.value);
        GraphEditor editor(nested);
        for (const TensorId inner : nested.captured()) {
            Tensor known = graph.tensor(node.captures[capture++]);
            known.name = nested.tensor(inner).name;
            // A captured constant stays a reference to the outer tensor; its integers are known.
            if (known.constant)
                if (const auto values = Call(node, {&known}, 0).values(0))
                    known.values = std::make_shared<const std::vector<Dim>>(*values);
            known.constant = nullptr;
            editor.setTensor(inner, std::move(known));
        }
        if (entry && entry->bodyInputs) {
            const auto bound = entry->bodyInputs(call);
            for (std::size_t i = 0; i < std::min(bound.size(), nested.inputs().size()); ++i) {
                Tensor known = nested.tensor(nested.inputs()[i]);
                if (bound[i].type != DataType::Undefined)
                    known.type = bound[i].type;
                if (bound[i].shape)
                    known.shape = bound[i].shape;
                editor.setTensor(nested.inputs()[i], std::move(known));
            }
        }
        auto edited = std::move(editor).finish();
        if (!edited)
            return tl::unexpected(edited.error());
        auto inferred = inferShapes(*edited, m_opsets);
        if (!inferred)
            return tl::unexpected(inferred.error());
        m_warnings.insert(m_warnings.end(), inferred->warnings.begin(), inferred->warnings.end());
        attributes = attributes.with(attribute.name, std::make_shared<const Graph>(std::move(inferred->graph)));
    }
    node.attributes = std::move(attributes);
    m_editor.replaceNode(id, std::move(node));
    return {};
}

Result<void> Inferrer::inferNode(NodeId id)
{
    if (auto nested = inferNested(id); !nested)
        return nested;
    const Graph &graph = m_editor.graph();
    const Node &node = graph.node(id);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(input.valid() ? &graph.tensor(input) : nullptr);
    const Call call(node, std::move(inputs), m_opsets(node.domain));
    const auto description = describe(call);
    if (!description)
        return tl::unexpected(description.error());
    std::vector<std::pair<TensorId, Tensor>> known;
    for (int k = 0; k < int(node.outputs.size()); ++k) {
        const TensorId output = node.outputs[std::size_t(k)];
        if (!output.valid())
            continue;
        const Value &value = description->values[std::size_t(k)];
        const Tensor &declared = graph.tensor(output);
        Tensor tensor = declared;
        if (value.type != DataType::Undefined)
            tensor.type = value.type;
        if (!value.otherType.empty())
            tensor.otherType = value.otherType;
        if (value.shape) {
            tensor.shape = withFreshSymbols(*value.shape, declared);
            if (declared.shape && contradicts(*declared.shape, *tensor.shape))
                m_warnings.push_back("tensor \"" + declared.name + "\" is declared as " +
                                     text(*declared.shape) + ", but its node gives " +
                                     text(*tensor.shape));
        }
        if (auto values = symbolicValues(*description, call, k))
            tensor.values = std::make_shared<const std::vector<Dim>>(std::move(*values));
        known.emplace_back(output, std::move(tensor));
    }
    for (auto &[output, tensor] : known)
        m_editor.setTensor(output, std::move(tensor));
    return {};
}

} // namespace

Result<Inference> inferShapes(const Graph &graph, const Opsets &opsets)
{
    return Inferrer(graph, opsets).run();
}

} // namespace graphloom
