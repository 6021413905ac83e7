// SPDX-License-Identifier: Apache-2.0
#include "tests/support/tiny_models.h"

#include <fstream>
#include <onnx/onnx_pb.h>

namespace graphloom::test {

namespace {

void describe(onnx::ValueInfoProto &value, const std::string &name)
{
    value.set_name(name);
    auto &tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(onnx::TensorProto::FLOAT);
    tensor.mutable_shape()->add_dim()->set_dim_param("n");
    tensor.mutable_shape()->add_dim()->set_dim_value(4);
}

void add(onnx::GraphProto &graph, const std::string &op, const std::vector<std::string> &inputs,
         const std::string &output)
{
    auto &node = *graph.add_node();
    node.set_op_type(op);
    node.set_name(op);
    for (const std::string &input : inputs)
        node.add_input(input);
    node.add_output(output);
}

} // namespace

void writeTinyModel(const std::filesystem::path &path)
{
    onnx::ModelProto model;
    model.set_ir_version(8);
    model.add_opset_import()->set_version(17);
    auto &graph = *model.mutable_graph();
    graph.set_name("tiny");
    describe(*graph.add_input(), "x");
    describe(*graph.add_output(), "y");
    auto &one = *graph.add_initializer();
    one.set_name("one");
    one.set_data_type(onnx::TensorProto::FLOAT);
    one.add_float_data(1);
    add(graph, "Add", {"x", "one"}, "sum");
    add(graph, "Relu", {"sum"}, "y");
    std::ofstream stream(path, std::ios::binary);
    model.SerializeToOstream(&stream);
}

void writeTensor(const std::filesystem::path &path, const std::vector<std::int64_t> &extents,
                 const std::vector<float> &values)
{
    onnx::TensorProto tensor;
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : extents)
        tensor.add_dims(extent);
    for (const float value : values)
        tensor.add_float_data(value);
    std::ofstream stream(path, std::ios::binary);
    tensor.SerializeToOstream(&stream);
}

} // namespace graphloom::test
