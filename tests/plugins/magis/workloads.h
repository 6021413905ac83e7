// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/training.h"
#include "engine/interpreter/fill_weights.h"
#include "engine/interpreter/fold.h"
#include "engine/interpreter/random.h"
#include "engine/onnx/import.h"
#include "engine/ops/derive/infer.h"

#include <QTest>

/// Small versions of the networks that MAGIS is measured on: tests/support/small_workloads.py.
namespace graphloom::test {

/// What a network is to do.
enum class Mode { Inference, Training, TrainingByBatch }; // the last: with statistics of the batch

struct Workload {
    Graph graph;
    Opsets opsets;
    std::vector<TensorId> variables; // constants that are others after the step
};

inline bool isConvolutional(const std::string &name)
{
    return name.starts_with("resnet") || name.starts_with("unet");
}

/// Weights with every element alike as splats, which small ones are not when they are read.
inline Graph withSplats(const Graph &graph)
{
    GraphEditor editor(graph);
    for (std::uint32_t t = 0; t < graph.tensorBound(); ++t) {
        const TensorId id{t};
        if (!graph.contains(id) || !graph.tensor(id).constant)
            continue;
        Tensor tensor = graph.tensor(id);
        const TensorData &data = *tensor.constant;
        if (tensor.type != DataType::Float || data.elements() < 2 || data.isSplat())
            continue;
        const auto element = data.bytes().first(sizeof(float));
        bool uniform = true;
        for (std::int64_t i = 1; uniform && i < data.elements(); ++i)
            uniform = data.real(i) == data.real(0);
        if (uniform)
            tensor.constant = std::make_shared<const TensorData>(
                TensorData::splat(tensor.type, data.extents(), {element.begin(), element.end()}));
        editor.setTensor(id, std::move(tensor));
    }
    auto result = std::move(editor).finish();
    if (!result)
        qFatal("%s", result.error().text().c_str());
    return *std::move(result);
}

inline Workload workload(const std::string &name, Mode mode)
{
    const auto need = [](auto result) {
        if (!result)
            qFatal("%s", result.error().text().c_str());
        return *std::move(result);
    };
    Model model = need(importOnnx(GRAPHLOOM_WORKLOADS "/" + name + ".onnx"));
    std::vector<Runnable> filled{{name, withSplats(model.graph), opsetsOf(model)}};
    need(fillSplatWeights(filled, {.leastElements = 2, .folded = true}));
    Graph graph = std::move(filled[0].graph);
    const Opsets opsets = trainingOpsets(filled[0].opsets);
    if (mode == Mode::Inference)
        return {need(foldConstants(graph, opsets)), opsets, {}};
    TrainingOptions options;
    options.batchNorm = mode == Mode::Training ? TrainingOptions::BatchNorm::Frozen
                                               : TrainingOptions::BatchNorm::Batch;
    options.learningRate = 10; // for gradients to be seen in the weights
    TrainingGraph training = need(trainingGraph(graph, opsets, options));
    Workload workload{std::move(training.graph), opsets, {}};
    for (const ParameterUpdate &update : training.updates)
        workload.variables.push_back(update.parameter);
    for (const auto &[stored, updated] : training.statistics)
        workload.variables.push_back(stored);
    return workload;
}

/// Random inputs, with many words.
inline std::vector<TensorData> workloadInputs(const Graph &graph)
{
    std::vector<TensorData> inputs;
    for (const TensorId id : graph.inputs()) {
        const Tensor &tensor = graph.tensor(id);
        TensorData::Extents extents;
        for (const Dim &extent : *tensor.shape)
            extents.push_back(extent.value());
        inputs.push_back(*randomTensor(tensor.type, extents, inputs.size() + 1));
        if (tensor.name != "input_ids")
            continue;
        std::vector<std::int64_t> words(std::size_t(inputs.back().elements()));
        for (std::size_t i = 0; i < words.size(); ++i)
            words[i] = std::int64_t(i * i * 7 % 40);
        inputs.back() = TensorData::fromInt64s(words).reshaped(extents);
    }
    return inputs;
}

} // namespace graphloom::test
