// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/onnx_builder.h"

#include <filesystem>

namespace graphloom::test {

/// Writes a model with one matrix product, whose weight takes a megabyte of the file.
inline void writeWeightyModel(const std::filesystem::path &path)
{
    auto model = test::emptyModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    test::addInput(graph, "x", {1, 512});
    std::vector<float> values(512 * 512);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = float(i % 97);
    onnx::TensorProto &weight = *graph.add_initializer();
    weight.set_name("w");
    weight.set_data_type(onnx::TensorProto::FLOAT);
    weight.add_dims(512);
    weight.add_dims(512);
    weight.set_raw_data(values.data(), values.size() * sizeof(float));
    test::addNode(graph, "MatMul", {"x", "w"}, {"y"});
    test::addOutput(graph, "y", {1, 512});
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

} // namespace graphloom::test
