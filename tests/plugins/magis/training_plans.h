// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/training.h"
#include "tests/support/sketch.h"
#include "tests/support/synthetic_graphs.h"

#include <QtGlobal>

namespace graphloom::test {

/// Returns the plan of a step of training.
inline Plan trainingPlan(const Graph &graph, const TrainingOptions &options = {})
{
    auto training = trainingModel(*test::modelOf(graph), options);
    if (!training)
        qFatal("%s", training.error().text().c_str());
    return initialPlan(std::make_shared<const Model>(std::move(training->model)),
                       std::move(training->record));
}

/// Wide enough for kernels to take longer than their launch.
inline Plan perceptronTraining()
{
    Sketch s;
    TensorId x = s.input("x", {4096, 512});
    std::int64_t width = 512;
    for (const std::int64_t next : {2048, 2048, 1024, 2048}) {
        x = s.call("Relu", {s.call("MatMul", {x, s.weight({width, next}, 0.01f)})});
        width = next;
    }
    return trainingPlan(s.finish({s.call("MatMul", {x, s.weight({width, 16}, 0.01f)})}));
}
inline Plan convolutionTraining()
{
    Sketch s;
    TensorId x = s.conv(s.input("x", {32, 3, 64, 64}), 3, 32);
    for (int block = 0; block < 3; ++block) {
        const TensorId y = s.call("Relu", {s.conv(x, 32, 32)});
        x = s.call("Relu", {s.call("Add", {x, s.conv(y, 32, 32)})});
    }
    x = s.call("Flatten", {s.call("GlobalAveragePool", {x})});
    return trainingPlan(s.finish({s.call("MatMul", {x, s.weight({32, 10}, 0.1f)})}),
                        {.optimizer = TrainingOptions::Optimizer::Adam});
}

} // namespace graphloom::test
