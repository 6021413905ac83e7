// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/training_options.h"
#include "engine/ops/describe/operator_table.h"

#include <utility>
#include <vector>

namespace graphloom {

/// A graph whose calls give what their gradients want to read beside the result.
struct TrainingForms {
    Graph graph; // new tensors have no shapes yet
    /// Stored statistics of BatchNormalization and what they are after this step.
    std::vector<std::pair<TensorId, TensorId>> statistics;
};

/// BatchNormalization takes the statistics of the batch and renews the stored ones (unless they
/// are frozen), LayerNormalization gives mean and inverse deviation, MaxPool the positions of
/// maxima, and a Dropout in training mode its mask, with a seed of its own, so that computing it
/// again gives the same. Fails (Fault) only when the graph breaks.
Result<TrainingForms> withTrainingForms(const Graph &graph, TrainingOptions::BatchNorm mode,
                                        TensorNames &names);

} // namespace graphloom
