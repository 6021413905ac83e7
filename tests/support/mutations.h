// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/format/wire.h"
#include "tests/support/random_graph.h"

#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace graphloom::test {

/// Damages a model file in one of many ways: at random in its bytes, in the lengths and numbers of
/// its wire format, or, well-formed, in the meaning of its messages.
class Mutator {
public:
    explicit Mutator(std::uint64_t seed) : m_random(seed) {}

    /// Returns the bytes with a mutation. `donor` is another file, whose parts may be inserted.
    std::string mutate(std::string bytes, const std::string &donor)
    {
        const auto rounds = 1 + below(m_random, 3);
        for (std::uint64_t i = 0; i < rounds && !bytes.empty(); ++i)
            switch (below(m_random, 7)) {
            case 0:
                flipBits(bytes);
                break;
            case 1:
                bytes.resize(below(m_random, bytes.size()));
                break;
            case 2:
                splice(bytes, donor);
                break;
            case 3:
                editWire(bytes);
                break;
            default:
                editMessage(bytes);
            }
        return bytes;
    }

private:
    void flipBits(std::string &bytes)
    {
        for (std::uint64_t i = 1 + below(m_random, 16); i > 0; --i)
            bytes[below(m_random, bytes.size())] ^= char(1 << below(m_random, 8));
    }

    void splice(std::string &bytes, const std::string &donor)
    {
        const auto from = below(m_random, donor.size() + 1);
        const std::string part = donor.substr(from, below(m_random, 300));
        const auto at = below(m_random, bytes.size() + 1);
        bytes.replace(at, below(m_random, std::min<std::size_t>(300, bytes.size() - at) + 1), part);
    }

    /// Overwrites a number or a length somewhere in the tree of messages with an extreme number.
    void editWire(std::string &bytes)
    {
        std::uint64_t begin = 0, end = bytes.size();
        for (int depth = 0; depth < 8; ++depth) {
            std::vector<WireField> fields;
            WireReader reader(std::as_bytes(std::span(bytes)), begin, end);
            while (!reader.atEnd()) {
                const auto field = reader.next();
                if (!field)
                    break;
                fields.push_back(*field);
            }
            if (fields.empty())
                return;
            const WireField field = fields[below(m_random, fields.size())];
            const bool inside = field.kind == WireField::Kind::Bytes && field.size() > 2;
            if (inside && below(m_random, 4) != 0) {
                begin = field.begin;
                end = field.end;
                continue;
            }
            if (field.kind == WireField::Kind::Varint || field.kind == WireField::Kind::Bytes) {
                const bool length = field.kind == WireField::Kind::Bytes;
                std::string number;
                appendVarint(number, extreme());
                const auto at = length ? field.lengthAt : field.begin;
                bytes.replace(at, (length ? field.begin : field.end) - at, number);
            }
            return;
        }
    }

    enum class Edit {
        Input,
        Output,
        Copy,
        Swap,
        Remove,
        Attribute,
        Dims,
        DataType,
        ExternalData,
        InputShape,
        Opsets,
        Operator,
        NestedGraph,
        Function,
        FewerInputs
    };
    static constexpr int editCount = int(Edit::FewerInputs) + 1;

    void editMessage(std::string &bytes)
    {
        onnx::ModelProto model;
        if (!model.ParseFromString(bytes))
            return flipBits(bytes);
        auto *graph = pickGraph(*model.mutable_graph());
        const int nodes = graph->node_size(), weights = graph->initializer_size();
        auto *node = nodes > 0 ? graph->mutable_node(pick(nodes)) : nullptr;
        auto *weight = weights > 0 ? graph->mutable_initializer(pick(weights)) : nullptr;
        switch (const auto edit = Edit(below(m_random, editCount))) {
        case Edit::Dims:
        case Edit::DataType:
        case Edit::ExternalData:
            if (weight)
                editWeight(*weight, edit);
            break;
        case Edit::InputShape:
            if (graph->input_size() > 0)
                editShape(*graph->mutable_input(pick(graph->input_size())));
            break;
        case Edit::Opsets:
            for (auto &import : *model.mutable_opset_import())
                import.set_version(std::int64_t(below(m_random, 26)));
            break;
        case Edit::Function:
            if (node)
                makeCall(model, *node);
            break;
        default:
            if (node)
                editNode(*graph, *node, edit);
        }
        bytes = model.SerializeAsString();
    }

    void editNode(onnx::GraphProto &graph, onnx::NodeProto &node, Edit edit)
    {
        const int nodes = graph.node_size();
        switch (edit) {
        case Edit::Input:
            if (node.input_size() > 0)
                node.set_input(pick(node.input_size()), someName(graph));
            break;
        case Edit::Output:
            if (node.output_size() > 0)
                node.set_output(pick(node.output_size()), someName(graph));
            break;
        case Edit::Copy:
            *graph.add_node() = node;
            break;
        case Edit::Swap:
            graph.mutable_node()->SwapElements(pick(nodes), pick(nodes));
            break;
        case Edit::Remove:
            graph.mutable_node()->DeleteSubrange(pick(nodes), 1);
            break;
        case Edit::Attribute:
            if (node.attribute_size() > 0)
                editAttribute(*node.mutable_attribute(pick(node.attribute_size())));
            break;
        case Edit::Operator:
            node.set_op_type(operators[below(m_random, std::size(operators))]);
            break;
        case Edit::NestedGraph:
            if (nodes < 200) { // a graph in its own attribute
                auto &attribute = *node.add_attribute();
                attribute.set_name("body");
                attribute.set_type(onnx::AttributeProto::GRAPH);
                *attribute.mutable_g() = onnx::GraphProto(graph);
            }
            break;
        default:
            if (node.input_size() > 0)
                node.mutable_input()->RemoveLast();
        }
    }

    void editWeight(onnx::TensorProto &weight, Edit edit)
    {
        if (edit == Edit::Dims) {
            if (weight.dims_size() > 0)
                weight.set_dims(pick(weight.dims_size()), std::int64_t(extreme()));
        } else if (edit == Edit::DataType) {
            weight.set_data_type(int(below(m_random, 30)));
        } else {
            weight.set_data_location(onnx::TensorProto::EXTERNAL);
            auto &entry = *weight.add_external_data();
            entry.set_key(chance(m_random, 0.5) ? "location" : "offset");
            entry.set_value(chance(m_random, 0.5) ? "../x" : std::to_string(extreme()));
        }
    }

    void editShape(onnx::ValueInfoProto &input)
    {
        auto &shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
        auto &dim = shape.dim_size() > 0 && chance(m_random, 0.7)
                        ? *shape.mutable_dim(pick(shape.dim_size()))
                        : *shape.add_dim();
        if (chance(m_random, 0.3))
            dim.set_dim_param("n*n*n-" + std::to_string(extreme()));
        else
            dim.set_dim_value(std::int64_t(extreme()));
    }

    /// Makes the node a call of a function that may be recursive.
    static void makeCall(onnx::ModelProto &model, const onnx::NodeProto &node)
    {
        auto &function = *model.add_functions();
        function.set_domain(node.domain());
        function.set_name(node.op_type());
        *function.add_node() = node;
        for (const auto &name : node.input())
            function.add_input(name);
        for (const auto &name : node.output())
            function.add_output(name);
        *function.mutable_opset_import() = model.opset_import();
    }

    void editAttribute(onnx::AttributeProto &attribute)
    {
        switch (below(m_random, 5)) {
        case 0:
            attribute.set_i(std::int64_t(extreme()));
            break;
        case 1:
            if (attribute.ints_size() > 0)
                attribute.set_ints(pick(attribute.ints_size()), std::int64_t(extreme()));
            break;
        case 2:
            attribute.add_ints(std::int64_t(extreme()));
            break;
        case 3:
            attribute.set_type(onnx::AttributeProto::AttributeType(below(m_random, 15)));
            break;
        default:
            attribute.set_ref_attr_name("axis");
        }
    }

    /// Returns the graph, or one nested in it.
    onnx::GraphProto *pickGraph(onnx::GraphProto &graph)
    {
        for (auto &node : *graph.mutable_node())
            for (auto &attribute : *node.mutable_attribute())
                if (attribute.has_g() && chance(m_random, 0.5))
                    return pickGraph(*attribute.mutable_g());
        return &graph;
    }

    std::string someName(const onnx::GraphProto &graph)
    {
        if (graph.node_size() > 0 && chance(m_random, 0.8)) {
            const auto &node = graph.node(pick(graph.node_size()));
            if (node.output_size() > 0)
                return node.output(pick(node.output_size()));
        }
        return chance(m_random, 0.5) ? "" : "nowhere";
    }

    std::uint64_t extreme()
    {
        constexpr std::uint64_t numbers[] = {0,
                                             1,
                                             2,
                                             3,
                                             7,
                                             127,
                                             128,
                                             255,
                                             4096,
                                             65535,
                                             1u << 31,
                                             0xffffffffu,
                                             std::uint64_t{1} << 32,
                                             std::uint64_t{1} << 40,
                                             std::uint64_t{1} << 62,
                                             ~std::uint64_t{0} >> 1,
                                             std::uint64_t{1} << 63,
                                             ~std::uint64_t{0},
                                             ~std::uint64_t{0} - 1};
        return numbers[below(m_random, std::size(numbers))];
    }

    int pick(int count) { return int(below(m_random, std::uint64_t(count))); }

    static constexpr const char *operators[] = {
        "Add",     "Conv",    "ConvTranspose", "MatMul",         "Gemm",    "Softmax",   "Slice",
        "Pad",     "Reshape", "Resize",        "Upsample",       "Split",   "Concat",    "Gather",
        "TopK",    "Squeeze", "Clip",          "Dropout",        "MaxPool", "LSTM",      "Scan",
        "Loop",    "If",      "Constant",      "Expand",         "Tile",    "Transpose", "Einsum",
        "Flatten", "Range",   "OneHot",        "ConstantOfShape"};

    Random m_random;
};

} // namespace graphloom::test
