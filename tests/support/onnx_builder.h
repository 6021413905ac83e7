// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/onnx/import.h"

#include <onnx/onnx_pb.h>

#include <QTemporaryDir>

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom::test {

using Names = std::vector<std::string>;
using Extents = std::vector<std::int64_t>;

/// Returns a model without nodes, as an exporter would begin it.
inline onnx::ModelProto emptyModel(std::int64_t opset = 17)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.set_producer_name("test");
    auto &import = *model.add_opset_import();
    import.set_domain("");
    import.set_version(opset);
    model.mutable_graph()->set_name("main");
    return model;
}

inline void importDomain(onnx::ModelProto &model, const std::string &domain,
                         std::int64_t version = 1)
{
    auto &import = *model.add_opset_import();
    import.set_domain(domain);
    import.set_version(version);
}

inline void describeValue(onnx::ValueInfoProto &info, const std::string &name,
                          const Extents &extents, int type = onnx::TensorProto::FLOAT)
{
    info.set_name(name);
    auto &tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape();
    for (const std::int64_t extent : extents)
        tensor.mutable_shape()->add_dim()->set_dim_value(extent);
}

inline onnx::ValueInfoProto &addInput(onnx::GraphProto &graph, const std::string &name,
                                      const Extents &extents, int type = onnx::TensorProto::FLOAT)
{
    describeValue(*graph.add_input(), name, extents, type);
    return *graph.mutable_input(graph.input_size() - 1);
}

inline onnx::ValueInfoProto &addOutput(onnx::GraphProto &graph, const std::string &name,
                                       const Extents &extents, int type = onnx::TensorProto::FLOAT)
{
    describeValue(*graph.add_output(), name, extents, type);
    return *graph.mutable_output(graph.output_size() - 1);
}

/// Adds an output with a known type and no shape.
inline void addOpenOutput(onnx::GraphProto &graph, const std::string &name,
                          int type = onnx::TensorProto::FLOAT)
{
    auto &info = *graph.add_output();
    info.set_name(name);
    info.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

template <class Owner>
onnx::NodeProto &addNode(Owner &owner, const std::string &op, const Names &inputs,
                         const Names &outputs, const std::string &name = {})
{
    auto &node = *owner.add_node();
    node.set_op_type(op);
    node.set_name(name);
    for (const std::string &input : inputs)
        node.add_input(input);
    for (const std::string &output : outputs)
        node.add_output(output);
    return node;
}

inline onnx::AttributeProto &addAttribute(onnx::NodeProto &node, const std::string &name,
                                          onnx::AttributeProto::AttributeType type)
{
    auto &attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
}
inline void setInt(onnx::NodeProto &node, const std::string &name, std::int64_t value)
{
    addAttribute(node, name, onnx::AttributeProto::INT).set_i(value);
}
inline void setFloat(onnx::NodeProto &node, const std::string &name, float value)
{
    addAttribute(node, name, onnx::AttributeProto::FLOAT).set_f(value);
}
inline void setText(onnx::NodeProto &node, const std::string &name, const std::string &value)
{
    addAttribute(node, name, onnx::AttributeProto::STRING).set_s(value);
}
inline void setInts(onnx::NodeProto &node, const std::string &name, const Extents &values)
{
    addAttribute(node, name, onnx::AttributeProto::INTS)
        .mutable_ints()
        ->Add(values.begin(), values.end());
}
inline void setFloats(onnx::NodeProto &node, const std::string &name,
                      const std::vector<float> &values)
{
    addAttribute(node, name, onnx::AttributeProto::FLOATS)
        .mutable_floats()
        ->Add(values.begin(), values.end());
}
inline onnx::GraphProto &setGraph(onnx::NodeProto &node, const std::string &name)
{
    auto &graph = *addAttribute(node, name, onnx::AttributeProto::GRAPH).mutable_g();
    graph.set_name(name);
    return graph;
}

/// Adds the branches of an If by calling fill(body, "then_branch") and so on.
template <class Fill> void setBranches(onnx::NodeProto &node, Fill fill)
{
    for (const std::string branch : {"then_branch", "else_branch"})
        fill(setGraph(node, branch), branch);
}

/// Returns the declared shape of a graph input.
inline onnx::TensorShapeProto &shapeOfInput(onnx::ModelProto &model, int input = 0)
{
    return *model.mutable_graph()
                ->mutable_input(input)
                ->mutable_type()
                ->mutable_tensor_type()
                ->mutable_shape();
}

inline void fillFloats(onnx::TensorProto &tensor, const std::string &name, const Extents &extents,
                       const std::vector<float> &values)
{
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.mutable_dims()->Add(extents.begin(), extents.end());
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
}
inline onnx::TensorProto &addFloats(onnx::GraphProto &graph, const std::string &name,
                                    const Extents &extents, const std::vector<float> &values)
{
    auto &tensor = *graph.add_initializer();
    fillFloats(tensor, name, extents, values);
    return tensor;
}
inline onnx::TensorProto &addInts(onnx::GraphProto &graph, const std::string &name,
                                  const Extents &extents, const Extents &values)
{
    auto &tensor = *graph.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.mutable_dims()->Add(extents.begin(), extents.end());
    tensor.mutable_int64_data()->Add(values.begin(), values.end());
    return tensor;
}

inline void setEntry(onnx::StringStringEntryProto &entry, const std::string &key,
                     const std::string &value)
{
    entry.set_key(key);
    entry.set_value(value);
}

/// Returns a valid model: y = Relu(x) with x of 2x3.
inline onnx::ModelProto reluModel(std::int64_t opset = 17)
{
    auto model = emptyModel(opset);
    addInput(*model.mutable_graph(), "x", {2, 3});
    addOutput(*model.mutable_graph(), "y", {2, 3});
    addNode(*model.mutable_graph(), "Relu", {"x"}, {"y"}, "relu");
    return model;
}

/// Returns the model y = If(c) "choice", with inputs c, a boolean, and x of 2; it needs branches.
inline onnx::ModelProto choiceModel()
{
    auto model = emptyModel();
    addInput(*model.mutable_graph(), "c", {}, onnx::TensorProto::BOOL);
    addInput(*model.mutable_graph(), "x", {2});
    addNode(*model.mutable_graph(), "If", {"c"}, {"y"}, "choice");
    addOpenOutput(*model.mutable_graph(), "y");
    return model;
}

/// A `ModelFolder` is a temporary folder for the files of one test.
class ModelFolder {
public:
    std::filesystem::path path() const { return m_folder.path().toStdString(); }

    std::filesystem::path save(std::string_view bytes, const std::string &name = "model.onnx") const
    {
        std::filesystem::create_directories((path() / name).parent_path());
        std::ofstream(path() / name, std::ios::binary) << bytes;
        return path() / name;
    }
    std::filesystem::path save(const onnx::ModelProto &model,
                               const std::string &name = "model.onnx") const
    {
        return save(model.SerializeAsString(), name);
    }

private:
    QTemporaryDir m_folder;
};

inline Result<Model> load(const std::string &bytes, const ImportOptions &options = {})
{
    const ModelFolder folder;
    return importOnnx(folder.save(bytes), options);
}
inline Result<Model> load(const onnx::ModelProto &model, const ImportOptions &options = {})
{
    return load(model.SerializeAsString(), options);
}

/// Returns the message if the model is refused, or an empty string if it is read.
template <class Content>
std::string refusalOf(const Content &content, const ImportOptions &options = {})
{
    const auto model = load(content, options);
    return model ? std::string() : model.error().text();
}

/// Returns the tensor with this name, or an invalid id if there is none.
inline TensorId tensorNamed(const Graph &graph, std::string_view name)
{
    for (std::uint32_t i = 0; i < graph.tensorBound(); ++i)
        if (graph.contains(TensorId{i}) && graph.tensor(TensorId{i}).name == name)
            return TensorId{i};
    return {};
}

/// Returns the operators of a graph in its order, separated by spaces.
inline std::string operatorsOf(const Graph &graph)
{
    std::string text;
    for (const NodeId id : graph.order())
        text += (text.empty() ? "" : " ") + graph.node(id).qualifiedOp();
    return text;
}

} // namespace graphloom::test

/// Fails the test unless the content is refused with a Model error that holds `wanted`.
#define REFUSED(content, wanted)                                                                   \
    do {                                                                                           \
        const auto refused = graphloom::test::load(content);                                       \
        QVERIFY2(!refused, "was read");                                                            \
        QCOMPARE(refused.error().kind, graphloom::Error::Kind::Model);                             \
        const std::string said = refused.error().text();                                           \
        QVERIFY2(said.find(wanted) != std::string::npos, said.c_str());                            \
    } while (false)
/// Fails the test unless the content is read.
#define ACCEPTED(content)                                                                          \
    do {                                                                                           \
        const auto accepted = graphloom::test::load(content);                                      \
        QVERIFY2(accepted, accepted ? "" : accepted.error().text().c_str());                       \
    } while (false)
