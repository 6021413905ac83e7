// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx/nodes/graph_reader.h"

#include "engine/onnx/format/utf8.h"
#include "engine/onnx/format/value_types.h"
#include "engine/onnx/nodes/node_reader.h"
#include "engine/onnx/nodes/pending_nodes.h"

#include <unordered_map>
#include <unordered_set>

namespace graphloom {

namespace {

using Declarations = std::unordered_map<std::string_view, const onnx::ValueInfoProto *>;

/// Reads the main graph and the graphs in attributes: first their names, then their nodes.
class GraphReader {
public:
    explicit GraphReader(ReadingState &state)
        : m_state(state), m_nodes(state, [this](const onnx::GraphProto &proto, Region &region) {
              return read(proto, region);
          })
    {
    }

    Result<Graph> read(const onnx::GraphProto &proto, Region &region);

private:
    Result<void> readInitializers(const onnx::GraphProto &proto, Region &region,
                                  const Declarations &inputs);
    Result<std::vector<TensorId>> readInputs(const onnx::GraphProto &proto, Region &region,
                                             bool nested);
    Result<std::vector<TensorId>> readOutputs(const onnx::GraphProto &proto, Region &region,
                                              bool nested);
    Result<void> declareOutputs(const NodeProtos &nodes, Region &region,
                                const Declarations &declarations);
    Result<TensorId> declare(Region &region, const std::string &name, Tensor tensor);
    Result<Tensor> declared(const onnx::ValueInfoProto &info) const;

    ReadingState &m_state;
    NodeReader m_nodes;
};

Result<TensorId> GraphReader::declare(Region &region, const std::string &name, Tensor tensor)
{
    GL_TRY(m_state.checkName(name, "tensor"));
    const auto [found, added] = region.names.try_emplace(name);
    if (!added)
        return m_state.refuse("tensor \"" + name + "\" is defined twice");
    for (const Region *outer = region.outer; outer; outer = outer->outer)
        if (outer->names.contains(name)) {
            m_state.warn("tensor \"" + name +
                         "\" hides a tensor of the same name in a parent graph");
            break;
        }
    m_state.takeTensorName(name);
    return found->second = region.build.editor.addTensor(std::move(tensor));
}

Result<Tensor> GraphReader::declared(const onnx::ValueInfoProto &info) const
{
    auto tensor = declaredTensor(info.name(), info.type());
    if (!tensor)
        return m_state.at(tensor.error(), "tensor \"" + info.name() + "\"");
    return tensor;
}

Result<void> GraphReader::readInitializers(const onnx::GraphProto &proto, Region &region,
                                           const Declarations &inputs)
{
    const auto add = [&](const std::string &name, Result<TensorData> data) -> Result<void> {
        const std::string label = "initializer \"" + name + "\"";
        if (!data)
            return m_state.at(data.error(), label);
        if (name.empty())
            return m_state.refuse("an initializer has no name");
        if (const auto input = inputs.find(name); input != inputs.end()) {
            GL_TRY_CONST(type, declared(*input->second));
            if (!compatible(*type, Tensor::of(name, *data)))
                return m_state.refuse("is declared with a different type or shape as a graph input",
                                      label);
        }
        auto id = declare(region, name, Tensor::of(name, std::move(*data)));
        return id ? Result<void>() : tl::unexpected(id.error());
    };
    for (const auto &tensor : proto.initializer())
        GL_TRY(add(tensor.name(), m_state.tensors().read(tensor)));
    for (const auto &tensor : proto.sparse_initializer())
        GL_TRY(add(tensor.values().name(), m_state.tensors().readSparse(tensor)));
    return {};
}

Result<std::vector<TensorId>> GraphReader::readInputs(const onnx::GraphProto &proto, Region &region,
                                                      bool nested)
{
    std::vector<TensorId> inputs;
    std::unordered_set<std::string_view> seen;
    for (const auto &info : proto.input()) {
        if (info.name().empty())
            return m_state.refuse("a graph input has no name");
        if (!seen.insert(info.name()).second)
            return m_state.refuse("graph input \"" + info.name() + "\" is listed twice");
        if (region.names.contains(info.name()))
            continue; // an initializer: the input's default value, which makes it a constant
        GL_TRY_RESULT(tensor, declared(info));
        if (!nested && tensor->type == DataType::Undefined && tensor->otherType.empty())
            return m_state.refuse("graph input \"" + info.name() + "\" has no type");
        GL_TRY_CONST(id, declare(region, info.name(), std::move(*tensor)));
        inputs.push_back(*id);
    }
    return inputs;
}

Result<std::vector<TensorId>> GraphReader::readOutputs(const onnx::GraphProto &proto,
                                                       Region &region, bool nested)
{
    std::vector<TensorId> outputs;
    std::unordered_set<std::string_view> seen;
    for (const auto &info : proto.output()) {
        const auto id = region.find(info.name());
        if (!id)
            return m_state.refuse("graph output \"" + info.name() + "\" is not defined");
        if (!id->valid())
            return m_state.refuse("graph output \"" + info.name() + "\" is an omitted input");
        if (!seen.insert(info.name()).second && !nested)
            return m_state.refuse("graph output \"" + info.name() + "\" is listed twice");
        outputs.push_back(*id);
    }
    return outputs;
}

Result<void> GraphReader::declareOutputs(const NodeProtos &nodes, Region &region,
                                         const Declarations &declarations)
{
    for (const auto &node : nodes) {
        for (const std::string &name : node.output()) {
            if (name.empty())
                continue;
            Tensor tensor;
            if (const auto found = declarations.find(name); found != declarations.end()) {
                GL_TRY_RESULT(known, declared(*found->second));
                tensor = std::move(*known);
            }
            tensor.name = name;
            GL_TRY(declare(region, name, std::move(tensor)));
        }
    }
    return {};
}

Result<Graph> GraphReader::read(const onnx::GraphProto &proto, Region &region)
{
    GraphBuild &build = region.build;
    const bool nested = build.parent;
    GL_TRY(m_state.charge(0));
    build.editor.setName(isUtf8(proto.name()) ? proto.name() : std::string());

    Declarations inputDeclarations, declarations;
    for (const auto &info : proto.input())
        inputDeclarations.emplace(info.name(), &info);
    for (const auto *list : {&proto.output(), &proto.value_info()})
        for (const auto &info : *list)
            declarations.emplace(info.name(), &info);
    GL_TRY(readInitializers(proto, region, inputDeclarations));
    GL_TRY_CONST(inputs, readInputs(proto, region, nested));
    GL_TRY(declareOutputs(proto.node(), region, declarations));
    GL_TRY(m_nodes.read(proto.node(), region));
    GL_TRY_CONST(outputs, readOutputs(proto, region, nested));
    if (proto.quantization_annotation_size() > 0)
        m_state.warn("quantization annotations are dropped");

    GL_TRY(addPendingNodes(build, *outputs, m_state));
    build.editor.setInputs(*inputs);
    build.editor.setCaptured(build.captured);
    build.editor.setOutputs(*outputs);
    auto graph = std::move(build.editor).finish();
    if (!graph)
        return m_state.at(graph.error(), graph.error().where);
    return graph;
}

} // namespace

Result<Graph> readGraph(const GraphReaderInput &input, TensorReader &tensors, Warnings &warnings)
{
    ReadingState state(input, tensors, warnings);
    for (const auto &node : input.model.graph().node())
        state.takeNodeName(node.name());
    GraphBuild build;
    Region region{build, nullptr, nullptr, {}};
    return GraphReader(state).read(input.model.graph(), region);
}

} // namespace graphloom
