// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/training_options.h"

#include <vector>

namespace graphloom {

/// What one step of training makes of a weight.
struct ParameterUpdate {
    TensorId parameter, gradient, updated;
    /// Of Adam: the moments of the gradient, before and after.
    struct State {
        TensorId before, after;
    };
    std::vector<State> states;
    NodeId node;
};

/// Adds the nodes of an optimizer to a graph that is being edited: com.microsoft.SGDOptimizer, or
/// ai.onnx.preview.training.Adam with PyTorch's constants (0.9, 0.999, 1e-8), which has the number
/// of the step, from 1 on, and the moments of every weight as graph inputs.
class Optimizer {
public:
    Optimizer(GraphEditor &editor, TensorNames &names, const TrainingOptions &options)
        : m_editor(editor), m_names(names), m_options(options)
    {
    }

    /// Behind the nodes that there are: gradients live until here.
    ParameterUpdate add(TensorId parameter, TensorId gradient);

private:
    TensorId rate();
    TensorId step();
    TensorId input(const std::string &name, DataType type, Shape extents);
    TensorId result(const std::string &name, TensorId like);

    GraphEditor &m_editor;
    TensorNames &m_names;
    const TrainingOptions &m_options;
    TensorId m_rate, m_step;
};

} // namespace graphloom
