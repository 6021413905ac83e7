// SPDX-License-Identifier: Apache-2.0
#include "engine/onnx_export/graph_writer.h"

#include "engine/onnx/format/proto_fields.h"
#include "engine/onnx/format/value_types.h"
#include "engine/onnx/nodes/graph_reader.h"
#include "engine/plan/origin_map.h"

#include <algorithm>
#include <type_traits>
#include <unordered_set>

namespace graphloom {

namespace {

using onnx::AttributeProto;

/// Counts the tensors of the parent graph that the graphs in an attribute capture.
std::size_t capturesOf(const AttributeValue &value)
{
    std::size_t count = 0;
    for (const GraphPointer &graph : graphsOf(value))
        count += graph->captured().size();
    return count;
}

} // namespace

void GraphWriter::needType(DataType type)
{
    std::int64_t needed = 8;
    switch (type) {
    case DataType::Float8E4M3FN:
    case DataType::Float8E4M3FNUZ:
    case DataType::Float8E5M2:
    case DataType::Float8E5M2FNUZ:
        needed = 9;
        break;
    case DataType::Int4:
    case DataType::Uint4:
        needed = 10;
        break;
    case DataType::Float4E2M1:
        needed = 11;
        break;
    default:
        break;
    }
    m_irVersion = std::max(m_irVersion, needed);
}

void GraphWriter::writeAttribute(const Attribute &attribute, std::span<const std::string> captured,
                                 AttributeProto &proto)
{
    const auto nested = [&](const Graph &graph, onnx::GraphProto &to) {
        const auto count = graph.captured().size();
        writeNested(graph, {captured.begin(), captured.begin() + std::ptrdiff_t(count)}, to);
        captured = captured.subspan(count);
    };
    const auto write = [&](const auto &value) {
        using Held = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Held, std::int64_t>) {
            proto.set_type(AttributeProto::INT);
            proto.set_i(value);
        } else if constexpr (std::is_same_v<Held, float>) {
            proto.set_type(AttributeProto::FLOAT);
            proto.set_f(value);
        } else if constexpr (std::is_same_v<Held, std::string>) {
            proto.set_type(AttributeProto::STRING);
            proto.set_s(value);
        } else if constexpr (std::is_same_v<Held, std::vector<std::int64_t>>) {
            proto.set_type(AttributeProto::INTS);
            proto.mutable_ints()->Add(value.begin(), value.end());
        } else if constexpr (std::is_same_v<Held, std::vector<float>>) {
            proto.set_type(AttributeProto::FLOATS);
            proto.mutable_floats()->Add(value.begin(), value.end());
        } else if constexpr (std::is_same_v<Held, std::vector<std::string>>) {
            proto.set_type(AttributeProto::STRINGS);
            for (const std::string &text : value)
                proto.add_strings(text);
        } else if constexpr (std::is_same_v<Held, TensorData>) {
            proto.set_type(AttributeProto::TENSOR);
            needType(value.type());
            m_weights.write(value, *proto.mutable_t());
        } else if constexpr (std::is_same_v<Held, std::vector<TensorData>>) {
            proto.set_type(AttributeProto::TENSORS);
            for (const TensorData &tensor : value) {
                needType(tensor.type());
                m_weights.write(tensor, *proto.add_tensors());
            }
        } else if constexpr (std::is_same_v<Held, GraphPointer>) {
            proto.set_type(AttributeProto::GRAPH);
            nested(*value, *proto.mutable_g());
        } else if constexpr (std::is_same_v<Held, std::vector<GraphPointer>>) {
            proto.set_type(AttributeProto::GRAPHS);
            for (const GraphPointer &graph : value)
                nested(*graph, *proto.add_graphs());
        } else {
            proto.ParseFromString(value.bytes);
        }
    };
    std::visit(write, attribute.value);
    proto.set_name(attribute.name);
}

void GraphWriter::writeNode(const Node &node, const std::string &name,
                            const std::vector<std::string> &tensors, onnx::NodeProto &proto)
{
    const auto nameOf = [&](TensorId id) { return id.valid() ? tensors[id.index] : std::string(); };
    proto.set_name(name);
    proto.set_op_type(node.op);
    proto.set_domain(node.domain);
    for (const TensorId input : node.inputs)
        proto.add_input(nameOf(input));
    for (const TensorId output : node.outputs)
        proto.add_output(nameOf(output));
    std::vector<std::string> captured;
    for (const TensorId id : node.captures)
        captured.push_back(nameOf(id));
    std::span<const std::string> left = captured;
    for (const Attribute &attribute : node.attributes) {
        const auto count = capturesOf(attribute.value);
        writeAttribute(attribute, left.first(count), *proto.add_attribute());
        left = left.subspan(count);
    }
    for (const auto &[key, value] : node.metadata) {
        if (key == documentationKey)
            proto.set_doc_string(value);
        else if (key != exportedSubgraphKey && key != originsKey)
            addMetadata(proto, key, value);
    }
}

void GraphWriter::writeConstants(const Graph &graph, const std::vector<std::string> &tensors,
                                 bool main, onnx::GraphProto &proto)
{
    const std::unordered_set<TensorId> outputs(graph.outputs().begin(), graph.outputs().end());
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i) {
        const TensorId id{i};
        if (!graph.contains(id) || !graph.tensor(id).constant ||
            (graph.uses(id).empty() && !outputs.contains(id)))
            continue;
        const TensorData &data = *graph.tensor(id).constant;
        const std::string &name = tensors[i];
        needType(data.type());
        onnx::TensorProto tensor;
        if (isWrittenAsFill(data, m_opset)) {
            tensor.set_name(m_tensorNames.take(name + "__SHAPE", {}));
            tensor.set_data_type(onnx::TensorProto::INT64);
            tensor.add_dims(std::int64_t(data.extents().size()));
            tensor.mutable_int64_data()->Add(data.extents().begin(), data.extents().end());
            auto &fill = *proto.add_node();
            fill.set_op_type("ConstantOfShape");
            fill.set_name(m_nodeNames.take(name + "__FILL", {}));
            fill.add_input(tensor.name());
            fill.add_output(name);
            auto &value = *fill.add_attribute();
            value.set_name("value");
            value.set_type(AttributeProto::TENSOR);
            value.mutable_t()->set_data_type(int(data.type()));
            value.mutable_t()->add_dims(1);
            value.mutable_t()->set_raw_data(data.bytes().data(), data.bytes().size());
            *proto.add_initializer() = std::move(tensor);
            continue;
        }
        tensor.set_name(name);
        if (main ? m_weights.writeInitializer(data, tensor) : (m_weights.write(data, tensor), true))
            *proto.add_initializer() = std::move(tensor);
    }
}

void GraphWriter::writeInterface(const Graph &graph, const std::vector<std::string> &tensors,
                                 onnx::GraphProto &proto)
{
    const auto write = [&](TensorId id, onnx::ValueInfoProto &info) {
        needType(graph.tensor(id).type);
        writeValueInfo(tensors[id.index], graph.tensor(id), info);
    };
    for (const TensorId id : graph.inputs())
        write(id, *proto.add_input());
    for (const TensorId id : graph.outputs())
        write(id, *proto.add_output());
}

void GraphWriter::writeNested(const Graph &graph, std::vector<std::string> captured,
                              onnx::GraphProto &proto)
{
    const auto tensors = nameTensors(graph, m_tensorNames, captured);
    const auto nodes = nameNodes(graph, m_nodeNames);
    proto.set_name(graph.name().empty() ? "graph" : graph.name());
    writeInterface(graph, tensors, proto);
    writeConstants(graph, tensors, false, proto);
    for (const NodeId id : graph.order())
        writeNode(graph.node(id), nodes[id.index], tensors, *proto.add_node());
}

} // namespace graphloom
