// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/node_reader.h"

#include "engine/onnx/format/proto_fields.h"
#include "engine/onnx/format/utf8.h"
#include "engine/onnx/format/value_types.h"
#include "engine/onnx/nodes/constant_nodes.h"
#include "engine/onnx/nodes/inlined_call.h"

#include <algorithm>
#include <functional>

namespace graphloom {

namespace {

std::vector<TensorId> outputsOf(const onnx::NodeProto &proto, const Region &region)
{
    std::vector<TensorId> outputs;
    for (const std::string &name : proto.output())
        outputs.push_back(name.empty() ? TensorId() : region.names.at(name));
    return outputs;
}

} // namespace

Result<void> NodeReader::read(const NodeProtos &nodes, Region &region)
{
    // Constants come first, because other nodes and nested graphs need their values.
    for (const auto &node : nodes)
        if (isConstant(node))
            GL_TRY(readConstant(node, region, outputsOf(node, region)[0]));
    for (const auto &node : nodes)
        if (!isConstant(node))
            GL_TRY(readNode(node, region));
    return {};
}

bool NodeReader::isConstant(const onnx::NodeProto &node) const
{
    return isConstantNode(node) && node.output_size() > 0 && !node.output(0).empty() &&
           std::all_of(node.output().begin() + 1, node.output().end(),
                       std::mem_fn(&std::string::empty)) &&
           !m_state.input().functions.find(node);
}

Result<std::int64_t> NodeReader::opsetOf(const std::string &domain, const Region &region) const
{
    const auto &imports = region.call ? region.call->function.opsets : m_state.input().opsets;
    for (const OpsetImport &import : imports)
        if (import.domain == domain)
            return import.version;
    return m_state.refuse("uses domain \"" + (domain.empty() ? "ai.onnx" : domain) +
                          "\", for which no operator set is imported");
}

Result<std::vector<TensorId>> NodeReader::inputsOf(const onnx::NodeProto &proto,
                                                   const Region &region) const
{
    std::vector<TensorId> inputs;
    for (const std::string &name : proto.input()) {
        const auto id = name.empty() ? TensorId() : region.find(name);
        if (!id)
            return m_state.refuse("reads tensor \"" + name + "\", which is not defined");
        inputs.push_back(*id);
    }
    return inputs;
}

Result<void> NodeReader::readNode(const onnx::NodeProto &proto, Region &region)
{
    GL_TRY(m_state.chargeNode());
    for (const auto *text : {&proto.name(), &proto.op_type(), &proto.domain()})
        GL_TRY(m_state.checkName(*text, "node, operator or domain"));
    const auto entered = m_state.enter(labelOf(proto));
    if (proto.op_type().empty())
        return m_state.refuse("has no operator type");
    Node node;
    node.domain = normalDomain(proto.domain());
    node.op = proto.op_type();
    node.name = proto.name();

    GL_TRY_CONST(opset, opsetOf(node.domain, region));
    if (const ModelFunction *function = m_state.input().functions.find(proto))
        return inlineCall(proto, *function, region);
    GL_TRY_CONST(given, resolveAttributes(proto, region, m_state));
    if (const auto defect =
            defectOfCall(proto, node.domain, *opset,
                         node.domain.empty() ? m_state.input().targetOpset : *opset, given->list))
        return m_state.refuse(*defect);
    GL_TRY_RESULT(inputs, inputsOf(proto, region));
    node.inputs = std::move(*inputs);
    node.outputs = outputsOf(proto, region);
    if (node.domain.empty()) {
        // Drop omitted inputs and outputs at the end, but keep at least one output.
        while (!node.inputs.empty() && !node.inputs.back().valid())
            node.inputs.pop_back();
        while (node.outputs.size() > 1 && !node.outputs.back().valid())
            node.outputs.pop_back();
    }
    GL_TRY(readAttributes(*given, region, m_state, m_readNested, node));
    addMetadata(proto, region, node);
    if (region.call)
        node.name = m_state.newNodeName(region.call->prefix + node.name);
    const std::int64_t follows = node.domain.empty() ? *opset : 0;
    region.build.pending.push_back({std::move(node), follows});
    return {};
}

/// Adds the node's metadata in the file and the function that it comes from.
void NodeReader::addMetadata(const onnx::NodeProto &proto, const Region &region, Node &node) const
{
    const auto add = [&](std::string_view key, const std::string &value) {
        if (std::ranges::find(node.metadata, key, &Metadata::value_type::first) ==
            node.metadata.end())
            node.metadata.emplace_back(std::string(key), toUtf8(value));
    };
    for (const auto &[key, value] : metadataOf(proto))
        add(toUtf8(key), value);
    if (!proto.doc_string().empty())
        add(documentationKey, proto.doc_string());
    if (region.call) {
        const ModelFunction &function = region.call->function;
        const bool exported = function.domain == exportDomain;
        add(exported ? exportedSubgraphKey : inlinedFromKey, function.name());
    }
}

Result<void> NodeReader::readConstant(const onnx::NodeProto &proto, Region &region, TensorId output)
{
    GL_TRY(m_state.chargeNode());
    const auto read = [&]() -> Result<TensorData> {
        const auto entered = m_state.enter(labelOf(proto));
        GL_TRY_CONST(given, resolveAttributes(proto, region, m_state));
        GL_TRY(opsetOf("", region));
        auto data = constantValue(given->list, m_state.tensors());
        return data || !data.error().where.empty() ? data : m_state.at(data.error(), {});
    };
    GL_TRY_RESULT(data, read());
    const Tensor &known = region.build.editor.graph().tensor(output);
    Tensor tensor = Tensor::of(known.name, std::move(*data));
    if (!compatible(known, tensor))
        m_state.warn("tensor \"" + known.name +
                     "\" is declared with a different type or shape than its constant");
    region.build.editor.setTensor(output, std::move(tensor));
    return {};
}

Result<void> NodeReader::inlineCall(const onnx::NodeProto &proto, const ModelFunction &function,
                                    Region &region)
{
    GL_TRY(InlinedCall::check(proto, function, region, m_state));
    GL_TRY_CONST(inputs, inputsOf(proto, region));
    GL_TRY_CONST(given, resolveAttributes(proto, region, m_state));
    InlinedCall call(proto, function, region, m_state);
    GL_TRY(call.begin(*inputs, outputsOf(proto, region), *given));
    GL_TRY(read(function.proto->node(), call.region()));
    return call.finish();
}

} // namespace graphloom
