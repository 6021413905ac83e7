// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/opsets.h"
#include "engine/ir/training_options.h"

#include <utility>
#include <vector>

namespace graphloom {

/// Holds a graph whose calls also output what their gradients need to read.
struct TrainingForms {
    Graph graph; // new tensors have no shapes yet
    /// Stored statistics and their values after this step.
    std::vector<std::pair<TensorId, TensorId>> statistics;
};

/// Rewrites each call into the form that its entry requires for training (Operator::train):
/// normalizations output and update their statistics, pools output the positions of maxima, Dropout
/// its mask. Fails (Fault) only if the graph breaks.
Result<TrainingForms> withTrainingForms(const Graph &graph, const Opsets &opsets,
                                        TrainingOptions::BatchNorm mode, TensorNames &names);

} // namespace graphloom
