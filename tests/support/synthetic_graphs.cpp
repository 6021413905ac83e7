// SPDX-License-Identifier: Apache-2.0
#include "tests/support/synthetic_graphs.h"

#include <array>
#include <bit>
#include <cstdlib>
#include <iostream>

namespace graphloom::test {

namespace {

using Extents = TensorData::Extents;

class Builder {
public:
    explicit Builder(std::string name) { m_editor.setName(std::move(name)); }

    TensorId input(const std::string &name, Extents extents, DataType type = DataType::Float)
    {
        const TensorId id = value(name, std::move(extents), type);
        m_inputs.push_back(id);
        return id;
    }

    TensorId weight(Extents extents, float fill = 0.5f)
    {
        const auto bits = std::bit_cast<std::array<std::byte, 4>>(fill);
        return m_editor.addTensor(Tensor::of(
            "weight_" + std::to_string(m_weights++),
            TensorData::splat(DataType::Float, std::move(extents), {bits.begin(), bits.end()})));
    }

    TensorId integers(const std::vector<std::int64_t> &values)
    {
        return m_editor.addTensor(
            Tensor::of("shape_" + std::to_string(m_weights++), TensorData::fromInt64s(values)));
    }

    TensorId node(const std::string &op, std::vector<TensorId> inputs, Extents extents,
                  std::vector<Attribute> attributes = {}, DataType type = DataType::Float)
    {
        const std::string name = m_scope + op + "_" + std::to_string(m_nodes++);
        Node node;
        node.op = op;
        node.name = name;
        node.inputs = std::move(inputs);
        node.outputs = {value(name + ":0", std::move(extents), type)};
        node.attributes = Attributes(std::move(attributes));
        const TensorId output = node.outputs[0];
        m_editor.addNode(std::move(node));
        return output;
    }

    TensorId conv(TensorId x, Extents from, std::int64_t channels, std::int64_t kernel)
    {
        const std::int64_t pad = kernel / 2;
        return node("Conv", {x, weight({channels, from[1], kernel, kernel}), weight({channels})},
                    {from[0], channels, from[2], from[3]},
                    {{"kernel_shape", std::vector<std::int64_t>{kernel, kernel}},
                     {"pads", std::vector<std::int64_t>{pad, pad, pad, pad}}});
    }

    void scope(std::string scope) { m_scope = std::move(scope); }
    std::size_t nodes() const { return m_nodes; }

    Graph finish(std::vector<TensorId> outputs)
    {
        m_editor.setInputs(m_inputs);
        m_editor.setOutputs(std::move(outputs));
        auto graph = std::move(m_editor).finish();
        if (!graph) {
            std::cerr << "synthetic graph: " << graph.error().text() << '\n';
            std::abort();
        }
        return *std::move(graph);
    }

private:
    TensorId value(std::string name, Extents extents, DataType type)
    {
        Tensor tensor;
        tensor.name = std::move(name);
        tensor.type = type;
        tensor.shape = Shape(extents.begin(), extents.end());
        return m_editor.addTensor(std::move(tensor));
    }

    GraphEditor m_editor;
    std::vector<TensorId> m_inputs;
    std::string m_scope;
    std::size_t m_nodes = 0, m_weights = 0;
};

Attribute axes(std::int64_t axis)
{
    return {"axes", std::vector<std::int64_t>{axis}};
}

constexpr std::int64_t sequence = 128, width = 256, heads = 4;

TensorId normalize(Builder &b, TensorId x)
{
    const Extents all{1, sequence, width}, one{1, sequence, 1};
    const TensorId mean = b.node("ReduceMean", {x}, one, {axes(-1)});
    const TensorId centred = b.node("Sub", {x, mean}, all);
    const TensorId squared = b.node("Pow", {centred, b.weight({}, 2)}, all);
    const TensorId variance = b.node("ReduceMean", {squared}, one, {axes(-1)});
    const TensorId safe = b.node("Add", {variance, b.weight({}, 1e-5f)}, one);
    const TensorId deviation = b.node("Sqrt", {safe}, one);
    const TensorId scaled = b.node("Div", {centred, deviation}, all);
    const TensorId weighted = b.node("Mul", {scaled, b.weight({width})}, all);
    return b.node("Add", {weighted, b.weight({width})}, all);
}

TensorId linear(Builder &b, TensorId x, std::int64_t from, std::int64_t to)
{
    const Extents extents{1, sequence, to};
    const TensorId product = b.node("MatMul", {x, b.weight({from, to})}, extents);
    return b.node("Add", {product, b.weight({to})}, extents);
}

TensorId attention(Builder &b, TensorId x, TensorId mask)
{
    const std::int64_t depth = width / heads;
    const auto head = [&](const std::vector<std::int64_t> &order) {
        const TensorId split =
            b.node("Reshape", {linear(b, x, width, width), b.integers({1, sequence, heads, depth})},
                   {1, sequence, heads, depth});
        Extents extents;
        const Extents whole{1, sequence, heads, depth};
        for (const std::int64_t axis : order)
            extents.push_back(whole[std::size_t(axis)]);
        return b.node("Transpose", {split}, extents, {{"perm", order}});
    };
    const TensorId query = head({0, 2, 1, 3}), key = head({0, 2, 3, 1}), value = head({0, 2, 1, 3});
    const Extents scores{1, heads, sequence, sequence};
    TensorId score = b.node("MatMul", {query, key}, scores);
    score = b.node("Div", {score, b.weight({}, 8)}, scores);
    if (mask.valid())
        score = b.node("Add", {score, mask}, scores);
    score = b.node("Softmax", {score}, scores, {{"axis", std::int64_t{-1}}});
    TensorId mixed = b.node("MatMul", {score, value}, {1, heads, sequence, depth});
    mixed = b.node("Transpose", {mixed}, {1, sequence, heads, depth},
                   {{"perm", std::vector<std::int64_t>{0, 2, 1, 3}}});
    mixed = b.node("Reshape", {mixed, b.integers({1, sequence, width})}, {1, sequence, width});
    return linear(b, mixed, width, width);
}

TensorId gelu(Builder &b, TensorId x)
{
    const Extents extents{1, sequence, 4 * width};
    TensorId y = b.node("Div", {x, b.weight({}, 1.41421356f)}, extents);
    y = b.node("Erf", {y}, extents);
    y = b.node("Add", {y, b.weight({}, 1)}, extents);
    y = b.node("Mul", {x, y}, extents);
    return b.node("Mul", {y, b.weight({}, 0.5f)}, extents);
}

} // namespace

Graph resNetLike(std::size_t nodes)
{
    Builder b("synthetic-resnet");
    const Extents wide{1, 64, 56, 56}, narrow{1, 16, 56, 56};
    TensorId x = b.conv(b.input("image", {1, 3, 56, 56}), {1, 3, 56, 56}, 64, 3);
    x = b.node("Relu", {x}, wide);
    for (int block = 0; b.nodes() + 7 <= nodes; ++block) {
        b.scope("/block" + std::to_string(block) + "/");
        TensorId y = b.node("Relu", {b.conv(x, wide, 16, 1)}, narrow);
        y = b.node("Relu", {b.conv(y, narrow, 16, 3)}, narrow);
        y = b.conv(y, narrow, 64, 1);
        const TensorId shortcut = block % 4 == 0 ? b.conv(x, wide, 64, 1) : x;
        x = b.node("Relu", {b.node("Add", {y, shortcut}, wide)}, wide);
    }
    return b.finish({x});
}

Graph transformer(std::size_t nodes, bool mask)
{
    Builder b(mask ? "synthetic-masked-transformer" : "synthetic-transformer");
    TensorId x = b.input("embedded", {1, sequence, width});
    TensorId bias;
    if (mask) {
        const TensorId given = b.input("attention_mask", {1, sequence});
        bias = b.node("Unsqueeze", {given, b.integers({1, 2})}, {1, 1, 1, sequence});
        bias = b.node("Sub", {b.weight({}, 1), bias}, {1, 1, 1, sequence});
        bias = b.node("Mul", {bias, b.weight({}, -10000)}, {1, 1, 1, sequence});
    }
    const Extents all{1, sequence, width};
    for (int layer = 0; b.nodes() + 50 <= nodes || layer == 0; ++layer) {
        b.scope("/layer" + std::to_string(layer) + "/");
        x = b.node("Add", {attention(b, normalize(b, x), bias), x}, all);
        const TensorId up = gelu(b, linear(b, normalize(b, x), width, 4 * width));
        x = b.node("Add", {linear(b, up, 4 * width, width), x}, all);
    }
    return b.finish({x});
}

Graph unet(std::size_t nodes)
{
    Builder b("synthetic-unet");
    const Extents one{1, 32, 32, 32}, two{1, 64, 32, 32};
    TensorId x = b.conv(b.input("latent", {1, 4, 32, 32}), {1, 4, 32, 32}, 32, 3);
    std::vector<TensorId> skips;
    const auto block = [&](Extents from) {
        x = b.conv(x, from, 32, 3);
        const TensorId gate = b.node("Sigmoid", {x}, one);
        x = b.node("Mul", {x, gate}, one);
    };
    // 3 nodes on the way down, 4 on the way up.
    const std::size_t depth = nodes / 7;
    for (std::size_t i = 0; i < depth; ++i) {
        b.scope("/down" + std::to_string(i) + "/");
        block(one);
        skips.push_back(x);
    }
    for (std::size_t i = 0; i < depth; ++i) {
        b.scope("/up" + std::to_string(i) + "/");
        x = b.node("Concat", {x, skips[depth - 1 - i]}, two, {{"axis", std::int64_t{1}}});
        block(two);
    }
    return b.finish({x});
}

std::shared_ptr<const Model> modelOf(Graph graph)
{
    Model model;
    model.fileNodes = graph.nodeCount();
    model.path = graph.name() + ".onnx";
    model.graph = std::move(graph);
    model.opsets = model.fileOpsets = {{"", normalOpset}};
    model.irVersion = 8;
    model.producer = "graphloom tests";
    return std::make_shared<const Model>(std::move(model));
}

} // namespace graphloom::test
