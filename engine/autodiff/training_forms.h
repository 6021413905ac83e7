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
    /// Stored statistics and what they are after this step.
    std::vector<std::pair<TensorId, TensorId>> statistics;
};

/// Each call as its entry wants it for training (Operator::train): normalizations give and renew
/// their statistics, pools the positions of maxima, Dropout its mask. Fails (Fault) only when the
/// graph breaks.
Result<TrainingForms> withTrainingForms(const Graph &graph, const Opsets &opsets,
                                        TrainingOptions::BatchNorm mode, TensorNames &names);

} // namespace graphloom
