// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/training_options.h"

#include <vector>

namespace graphloom {

/// Holds the update of a weight by one step of training.
struct ParameterUpdate {
    TensorId parameter, gradient, updated;
    /// Holds a moment of the gradient, before and after, for Adam.
    struct State {
        TensorId before, after;
    };
    std::vector<State> states;
    NodeId node;
};

/// Adds the nodes of an optimizer to a graph that is being edited: com.microsoft.SGDOptimizer, or
/// ai.onnx.preview.training.Adam with PyTorch's constants (0.9, 0.999, 1e-8), which takes the
/// number of the step, from 1 on, and the moments of every weight as graph inputs.
class Optimizer {
public:
    Optimizer(GraphEditor &editor, TensorNames &names, const TrainingOptions &options)
        : m_editor(editor), m_names(names), m_options(options)
    {
    }

    /// Adds the update of a parameter after the existing nodes: gradients live until here.
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
