// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/training.h"
#include "tests/support/sketch.h"

#include <map>

/// Contains small networks of the kinds in which memory can be saved.
namespace graphloom::test {

inline const Opsets &networkOpsets()
{
    static const Opsets opsets = trainingOpsets(sketchOpset);
    return opsets;
}

inline TensorId dense(Sketch &s, TensorId x, std::int64_t from, std::int64_t to)
{
    return s.call("Add", {s.call("MatMul", {x, s.randomWeight({from, to})}), s.randomWeight({to})});
}

inline TensorId convolution(Sketch &s, TensorId x, std::int64_t from, std::int64_t to,
                            std::int64_t kernel = 3, std::int64_t stride = 1,
                            std::int64_t dilation = 1, std::int64_t groups = 1)
{
    const std::int64_t pad = dilation * (kernel - 1) / 2;
    return s.call("Conv",
                  {x, s.randomWeight({to, from / groups, kernel, kernel}), s.randomWeight({to})},
                  {ints("pads", {pad, pad, pad, pad}), ints("strides", {stride, stride}),
                   ints("dilations", {dilation, dilation}), integer("group", groups)});
}

inline TensorId batchNorm(Sketch &s, TensorId x, std::int64_t channels)
{
    return s.call("BatchNormalization", {x, s.randomWeight({channels}), s.randomWeight({channels}),
                                         s.randomWeight({channels}), s.weight({channels}, 0.8f)});
}

inline TensorId maxPool(Sketch &s, TensorId x)
{
    return s.call("MaxPool", {x}, {ints("kernel_shape", {2, 2}), ints("strides", {2, 2})});
}

inline Graph perceptron(std::int64_t batch = 6)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 4});
    x = s.call("Tanh", {dense(s, x, 4, 8)});
    x = s.call("Relu", {dense(s, x, 8, 8)});
    x = s.call("Gemm", {x, s.randomWeight({3, 8}), s.randomWeight({3})}, {integer("transB", 1)});
    return s.finish({s.call("Softmax", {x})});
}

inline Graph chain(std::int64_t rows = 12, std::int64_t batch = 2)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 3, rows, 10});
    x = s.call("Relu", {convolution(s, x, 3, 4)});
    x = s.call("Relu", {convolution(s, x, 4, 4, 3, 1, 2)});
    x = maxPool(s, x);
    x = s.call("Relu", {convolution(s, x, 4, 6, 3, 2)});
    return s.finish({s.call("Sigmoid", {convolution(s, x, 6, 4, 1)})});
}

inline Graph residual(std::int64_t batch = 4)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 3, 8, 8});
    x = s.call("Relu", {batchNorm(s, convolution(s, x, 3, 4), 4)});
    for (int block = 0; block < 2; ++block) {
        TensorId y = s.call("Relu", {batchNorm(s, convolution(s, x, 4, 4), 4)});
        y = batchNorm(s, convolution(s, y, 4, 4), 4);
        x = s.call("Relu", {s.call("Add", {x, y})});
    }
    x = s.call("Flatten", {s.call("GlobalAveragePool", {x})});
    return s.finish({dense(s, x, 4, 3)});
}

inline Graph depthwise(std::int64_t batch = 2)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 4, 9, 9});
    for (int block = 0; block < 2; ++block) {
        TensorId y = s.call("Relu", {convolution(s, x, 4, 8, 1)});
        y = s.call("Relu", {convolution(s, y, 8, 8, 3, 1, 1, 8)});
        x = s.call("Add", {x, convolution(s, y, 8, 4, 1)});
    }
    return s.finish({x});
}

inline Graph unet(std::int64_t batch = 2)
{
    Sketch s;
    const TensorId x = s.input("x", {batch, 2, 8, 8});
    const TensorId top = s.call("Relu", {convolution(s, x, 2, 4)});
    TensorId y = s.call("Relu", {convolution(s, maxPool(s, top), 4, 8)});
    y = s.call("ConvTranspose", {y, s.randomWeight({8, 4, 2, 2}), s.randomWeight({4})},
               {ints("strides", {2, 2})});
    y = s.call("Concat", {top, y}, {integer("axis", 1)});
    y = s.call("Relu", {convolution(s, y, 8, 4)});
    return s.finish({convolution(s, y, 4, 2, 1)});
}

/// Adds a block of a transformer: tensors [batch,position,width].
inline TensorId attention(Sketch &s, TensorId x, std::int64_t batch, std::int64_t length,
                          std::int64_t heads, std::int64_t width)
{
    const std::int64_t each = width / heads;
    const auto split = [&](TensorId value, std::vector<std::int64_t> order) {
        const TensorId apart = s.call("Reshape", {value, s.integers({batch, length, heads, each})});
        return s.call("Transpose", {apart}, {ints("perm", std::move(order))});
    };
    const TensorId q = split(dense(s, x, width, width), {0, 2, 1, 3});
    const TensorId k = split(dense(s, x, width, width), {0, 2, 3, 1});
    const TensorId v = split(dense(s, x, width, width), {0, 2, 1, 3});
    const TensorId scores = s.call("Mul", {s.call("MatMul", {q, k}), s.number(0.5f)});
    const TensorId mixed = s.call("MatMul", {s.call("Softmax", {scores}), v});
    const TensorId together = s.call("Transpose", {mixed}, {ints("perm", {0, 2, 1, 3})});
    return dense(s, s.call("Reshape", {together, s.integers({0, 0, -1})}), width, width);
}

inline TensorId layerNorm(Sketch &s, TensorId x, std::int64_t width)
{
    return s.call("LayerNormalization", {x, s.randomWeight({width}), s.randomWeight({width})});
}

inline Graph attentionBlock(std::int64_t batch = 2)
{
    Sketch s;
    const TensorId x = s.input("x", {batch, 6, 8});
    const TensorId y = s.call("Add", {x, attention(s, layerNorm(s, x, 8), batch, 6, 4, 8)});
    const TensorId z = dense(s, s.call("Tanh", {dense(s, layerNorm(s, y, 8), 8, 16)}), 16, 8);
    return s.finish({s.call("Add", {y, z})});
}

inline TrainingGraph
trainingStepOf(const Graph &inference,
               TrainingOptions::BatchNorm mode = TrainingOptions::BatchNorm::Frozen,
               TrainingOptions::Optimizer optimizer = TrainingOptions::Optimizer::Sgd)
{
    TrainingOptions options;
    options.batchNorm = mode;
    options.optimizer = optimizer;
    auto training = trainingGraph(inference, networkOpsets(), options);
    if (!training)
        qFatal("%s", training.error().text().c_str());
    return std::move(*training);
}

inline Graph trainingOf(const Graph &inference,
                        TrainingOptions::BatchNorm mode = TrainingOptions::BatchNorm::Frozen,
                        TrainingOptions::Optimizer optimizer = TrainingOptions::Optimizer::Sgd)
{
    return trainingStepOf(inference, mode, optimizer).graph;
}

inline Graph convolutionalClassifier(std::int64_t batch = 4)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 2, 6, 6});
    x = s.call("Relu", {batchNorm(s, convolution(s, x, 2, 4), 4)});
    x = s.call("Add", {x, s.call("Relu", {batchNorm(s, convolution(s, x, 4, 4), 4)})});
    x = maxPool(s, x);
    x = s.call("Flatten", {s.call("GlobalAveragePool", {x})});
    return s.finish(
        {s.call("Gemm", {x, s.randomWeight({3, 4}), s.randomWeight({3})}, {integer("transB", 1)})});
}

/// Returns a language model: positions are looked up, classes are words.
inline Graph transformerBlock(std::int64_t batch = 4)
{
    Sketch s;
    TensorId x = s.input("x", {batch, 5, 8});
    x = s.call("Add", {x, attention(s, layerNorm(s, x, 8), batch, 5, 2, 8)});
    x = s.call("Add", {x, dense(s, s.call("Tanh", {dense(s, layerNorm(s, x, 8), 8, 12)}), 12, 8)});
    return s.finish({s.call("MatMul", {layerNorm(s, x, 8), s.randomWeight({8, 7})})});
}

inline const std::map<std::string, std::function<Graph()>> &networks()
{
    static const std::map<std::string, std::function<Graph()>> all{
        {"perceptron", [] { return perceptron(); }},
        {"convolution chain", [] { return chain(); }},
        {"convolution chain, one image", [] { return chain(13, 1); }},
        {"residual", [] { return residual(); }},
        {"depthwise", [] { return depthwise(); }},
        {"u-net", [] { return unet(); }},
        {"attention", [] { return attentionBlock(); }},
        {"perceptron, trained", [] { return trainingOf(perceptron()); }},
        {"classifier, trained", [] { return trainingOf(convolutionalClassifier()); }},
        {"classifier, trained by Adam",
         [] {
             return trainingOf(convolutionalClassifier(), TrainingOptions::BatchNorm::Frozen,
                               TrainingOptions::Optimizer::Adam);
         }},
        {"classifier, batch statistics",
         [] { return trainingOf(convolutionalClassifier(), TrainingOptions::BatchNorm::Batch); }},
        {"transformer, trained", [] { return trainingOf(transformerBlock()); }},
    };
    return all;
}

} // namespace graphloom::test
