// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/instance.h"

#include <algorithm>

namespace graphloom {

namespace {

void collectVariables(const Pattern &pattern, std::vector<std::string> &names)
{
    const bool variable =
        pattern->kind == Pattern::Kind::Any || pattern->kind == Pattern::Kind::Constant;
    if (variable && std::ranges::find(names, pattern->name) == names.end())
        names.push_back(pattern->name);
    for (const Pattern &input : pattern->inputs)
        collectVariables(input, names);
}

} // namespace

std::vector<std::string> variablesOf(const Pattern &pattern)
{
    std::vector<std::string> names;
    collectVariables(pattern, names);
    return names;
}

struct PatternInstance::State {
    GraphEditor editor;
    std::vector<TensorId> inputs;
    std::map<std::string, TensorId> variables;
    const Shape &shape;
    Random &random;
    NodeId root;
    int calls = 0;
};

void PatternInstance::use(const Instance &instance)
{
    for (const Instance::Variable &variable : instance.variables) {
        m_shapes[variable.name] = variable.shape;
        if (variable.constant)
            setConstant(variable.name, *variable.constant);
        if (variable.type != DataType::Undefined)
            m_types[variable.name] = variable.type;
    }
    for (const auto &[call, attributes] : instance.attributes)
        m_attributes[call] = attributes;
}

std::optional<TensorId> PatternInstance::value(const Pattern &pattern, State &state)
{
    if (pattern->kind == Pattern::Kind::Call && !(m_cut && state.calls == 1))
        return callOf(pattern, state);
    if (pattern->kind == Pattern::Kind::Call)
        ++state.calls; // only the first one is cut
    std::string name = pattern->name;
    if (pattern->kind ==
        Pattern::Kind::Call) { // cut: it stands for a value with the shape of its operand
        const auto operands = variablesOf(pattern);
        if (!operands.empty() && m_shapes.contains(operands.front()))
            m_shapes[name] = m_shapes[operands.front()];
    }
    if (pattern->kind == Pattern::Kind::Number) {
        const double number = pattern->number + (m_loose ? 0.5 : 0);
        return state.editor.addTensor(Tensor::of("number", scalarData(number, m_type)));
    }
    if (!name.empty() && !m_separate)
        if (const auto known = state.variables.find(name); known != state.variables.end())
            return known->second;
    const auto constant = m_constants.find(name);
    const bool isConstant =
        pattern->kind == Pattern::Kind::Constant || (constant != m_constants.end() && !m_loose);
    Tensor tensor;
    tensor.name = name.empty() ? "v" : name;
    tensor.type = m_types.contains(name) ? m_types[name] : m_type;
    tensor.shape = m_shapes.contains(name) ? m_shapes[name] : state.shape;
    if (constant != m_constants.end() && isConstant && !m_loose) {
        tensor = Tensor::of(tensor.name, constant->second);
    } else if (isConstant && !m_loose) {
        TensorData::Extents extents;
        for (const Dim &dim : *tensor.shape)
            extents.push_back(dim.constant().value_or(1));
        const TensorData one = scalarData(3, tensor.type);
        tensor =
            Tensor::of(tensor.name, TensorData::splat(tensor.type, std::move(extents),
                                                      {one.bytes().begin(), one.bytes().end()}));
    }
    if (m_separate && state.variables.contains(name))
        tensor.name += "'" + std::to_string(state.editor.graph().tensorBound());
    const bool given = tensor.constant != nullptr;
    const TensorId id = state.editor.addTensor(std::move(tensor));
    if (!given)
        state.inputs.push_back(id);
    state.variables.try_emplace(name, id);
    return id;
}

std::optional<TensorId> PatternInstance::callOf(const Pattern &pattern, State &state)
{
    const bool isRoot = state.calls++ == 0;
    Node node;
    if (!pattern->ops.empty()) {
        const std::string &op = pattern->ops[state.random() % pattern->ops.size()];
        const auto dot = op.rfind('.');
        node.domain = dot == std::string::npos ? "" : op.substr(0, dot);
        node.op = dot == std::string::npos ? op : op.substr(dot + 1);
    }
    node.name = node.op;
    for (const Pattern &input : pattern->inputs) {
        const auto id = value(input, state);
        if (!id)
            return std::nullopt;
        node.inputs.push_back(*id);
    }
    std::vector<Attribute> attributes = pattern->attributes;
    if (const auto given = m_attributes.find(pattern->name); given != m_attributes.end())
        attributes.insert(attributes.end(), given->second.begin(), given->second.end());
    node.attributes = Attributes(std::move(attributes));
    node.outputs.resize(pattern->output + 1);
    std::vector<const Tensor *> inputs;
    for (const TensorId input : node.inputs)
        inputs.push_back(&state.editor.graph().tensor(input));
    const auto description = describe(Call(node, std::move(inputs), m_opsets(node.domain)));
    if (!description || description->isOpaque())
        return std::nullopt;
    for (std::size_t k = 0; k < node.outputs.size(); ++k) {
        Tensor tensor;
        tensor.name =
            node.op + std::to_string(state.editor.graph().nodeBound()) + "." + std::to_string(k);
        tensor.type = description->values[k].type;
        tensor.shape = description->values[k].shape;
        node.outputs[k] = state.editor.addTensor(std::move(tensor));
    }
    const TensorId result = node.outputs[pattern->output];
    const NodeId id = state.editor.addNode(std::move(node));
    if (isRoot)
        state.root = id;
    return result;
}

std::optional<PatternInstance::Made> PatternInstance::make(const Shape &shape, Random &random)
{
    State state{GraphEditor(), {}, {}, shape, random, {}, 0};
    const auto result = value(m_pattern, state);
    if (!result)
        return std::nullopt;
    state.editor.setInputs(state.inputs);
    state.editor.setOutputs({*result});
    auto graph = std::move(state.editor).finish();
    if (!graph)
        return std::nullopt;
    return Made{*std::move(graph), state.root, std::move(state.variables)};
}

} // namespace graphloom
