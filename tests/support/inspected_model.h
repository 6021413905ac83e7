// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/onnx_builder.h"

#include <filesystem>
#include <random>

namespace graphloom::test {

/// Writes a model whose constants are worth a look: Conv "conv" with random weights "conv.weight"
/// of 64x3x7x7, Clip "clip" between "low" (-0.75) and "high" (6), a product "embed" with half
/// floats "table" of 400x900, and "cast" with bfloat16 "narrow" of 3x2. With `externalBytes` the
/// output "big" of an Add reads a float vector of so many bytes, "huge", which is a hole in the
/// file "huge.bin".
inline void writeInspectedModel(const std::filesystem::path &path, std::uint64_t externalBytes = 0)
{
    auto model = emptyModel();
    onnx::GraphProto &graph = *model.mutable_graph();
    std::mt19937_64 random(7);
    std::normal_distribution<float> normal(0, 0.3F);
    addInput(graph, "x", {1, 3, 56, 56});
    std::vector<float> weights(64 * 3 * 7 * 7);
    for (float &weight : weights)
        weight = normal(random);
    addFloats(graph, "conv.weight", {64, 3, 7, 7}, weights);
    addFloats(graph, "conv.bias", {64}, std::vector<float>(weights.begin(), weights.begin() + 64));
    addFloats(graph, "low", {}, {-0.75F});
    addFloats(graph, "high", {}, {6});
    auto &conv = addNode(graph, "Conv", {"x", "conv.weight", "conv.bias"}, {"c"}, "conv");
    setInts(conv, "strides", {2, 2});
    setInts(conv, "pads", {3, 3, 3, 3});
    addNode(graph, "Clip", {"c", "low", "high"}, {"y"}, "clip");
    addOutput(graph, "y", {1, 64, 28, 28});

    addInput(graph, "h", {1, 400}, onnx::TensorProto::FLOAT16);
    onnx::TensorProto &table = *graph.add_initializer();
    table.set_name("table");
    table.set_data_type(onnx::TensorProto::FLOAT16);
    table.add_dims(400);
    table.add_dims(900);
    std::string halves;
    for (int i = 0; i < 400 * 900; ++i) {
        const auto bits = std::uint16_t(0x3000 + (i / 900 * 13 + i % 900 * 7) % 0x0c00);
        halves += char(bits & 0xff);
        halves += char(bits >> 8);
    }
    table.set_raw_data(halves);
    addNode(graph, "MatMul", {"h", "table"}, {"e"}, "embed");
    addOutput(graph, "e", {1, 900}, onnx::TensorProto::FLOAT16);

    onnx::TensorProto &narrow = *graph.add_initializer();
    narrow.set_name("narrow");
    narrow.set_data_type(onnx::TensorProto::BFLOAT16);
    narrow.add_dims(3);
    narrow.add_dims(2);
    for (const int bits : {0x3f80, 0x4000, 0xbf80, 0, 0x7fc0, 0x7f80})
        narrow.add_int32_data(bits); // 1, 2, -1, 0, NaN, Inf
    addInput(graph, "n", {3, 2}, onnx::TensorProto::BFLOAT16);
    addNode(graph, "Add", {"n", "narrow"}, {"s"}, "sum");
    addOutput(graph, "s", {3, 2}, onnx::TensorProto::BFLOAT16);

    if (externalBytes > 0) {
        const auto elements = std::int64_t(externalBytes / sizeof(float));
        const std::filesystem::path file = path.parent_path() / "huge.bin";
        std::ofstream(file, std::ios::binary).put('\0');
        std::filesystem::resize_file(file, externalBytes);
        onnx::TensorProto &huge = *graph.add_initializer();
        huge.set_name("huge");
        huge.set_data_type(onnx::TensorProto::FLOAT);
        huge.add_dims(elements);
        huge.set_data_location(onnx::TensorProto::EXTERNAL);
        auto &location = *huge.add_external_data();
        location.set_key("location");
        location.set_value("huge.bin");
        addInput(graph, "z", {1});
        addNode(graph, "Add", {"z", "huge"}, {"big"}, "add");
        addOutput(graph, "big", {elements});
    }
    std::ofstream(path, std::ios::binary) << model.SerializeAsString();
}

} // namespace graphloom::test
