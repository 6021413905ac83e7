// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/inlined_call.h"

namespace graphloom {

InlinedCall::InlinedCall(const onnx::NodeProto &call, const ModelFunction &function, Region &caller,
                         ReadingState &state)
    : m_proto(call), m_body(*function.proto), m_caller(caller),
      m_state(state), m_call{function, {}, caller.call ? caller.call->depth + 1 : 1, {}},
      m_inside{caller.build, nullptr, &m_call, {}}
{
    if (function.domain == exportDomain)
        return;
    m_call.prefix = caller.call ? caller.call->prefix : "";
    m_call.prefix += (call.name().empty() ? function.name() : call.name()) + "/";
}

Result<void> InlinedCall::check(const onnx::NodeProto &call, const ModelFunction &function,
                                const Region &caller, ReadingState &state)
{
    const int deepest = state.input().options.maxDepth;
    if (caller.call && caller.call->depth == deepest)
        return state.refuse("function calls are nested more than " + std::to_string(deepest) +
                            " deep");
    GL_TRY(state.charge(function.bytes));
    if (call.input_size() > function.proto->input_size() ||
        call.output_size() > function.proto->output_size())
        return state.refuse("passes more inputs or outputs than function \"" + function.name() +
                            "\" has");
    return {};
}

Result<void> InlinedCall::begin(const std::vector<TensorId> &inputs,
                                const std::vector<TensorId> &outputs,
                                const ResolvedAttributes &attributes)
{
    for (std::size_t i = 0; i < attributes.list.size(); ++i)
        m_call.attributes.emplace(
            attributes.list[i].name,
            FunctionCall::Bound{attributes.list[i].value, attributes.regions[i]});
    for (const auto &attribute : m_call.function.defaults)
        m_call.attributes.emplace(attribute.name(), FunctionCall::Bound{&attribute, &m_inside});
    for (int i = 0; i < m_body.input_size(); ++i)
        m_inside.names.emplace(m_body.input(i),
                               i < m_proto.input_size() ? inputs[std::size_t(i)] : TensorId());

    // Outputs of the body that the caller uses are tensors of the caller.
    for (int i = 0; i < m_proto.output_size(); ++i)
        if (outputs[std::size_t(i)].valid())
            m_results.emplace(m_body.output(i), outputs[std::size_t(i)]);
    for (const auto &node : m_body.node()) {
        for (const std::string &name : node.output()) {
            if (name.empty())
                continue;
            GL_TRY(m_state.checkName(name, "tensor"));
            const auto [found, added] = m_inside.names.try_emplace(name);
            if (!added)
                return m_state.refuse("tensor \"" + name + "\" is defined twice in function \"" +
                                      m_call.function.name() + "\"");
            if (const auto result = m_results.find(name); result != m_results.end()) {
                found->second = result->second;
                continue;
            }
            Tensor tensor;
            tensor.name = m_state.newTensorName(m_call.prefix + name);
            found->second = m_caller.build.editor.addTensor(std::move(tensor));
        }
    }
    return {};
}

Result<void> InlinedCall::finish()
{
    for (const auto &[name, result] : m_results) {
        const auto source = m_inside.names.find(name);
        if (source == m_inside.names.end() || !source->second.valid())
            return m_state.refuse("output \"" + std::string(name) + "\" of function \"" +
                                  m_call.function.name() + "\" is not defined");
        if (source->second == result)
            continue;
        Node identity;
        identity.op = "Identity";
        identity.name = m_state.newNodeName(m_call.prefix + std::string(name));
        identity.inputs = {source->second};
        identity.outputs = {result};
        GL_TRY(m_state.chargeNode());
        m_caller.build.pending.push_back({std::move(identity), m_state.input().targetOpset});
    }
    return {};
}

} // namespace graphloom
