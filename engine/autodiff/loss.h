// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/opsets.h"
#include "engine/ir/training_options.h"

#include <stop_token>

namespace graphloom {

/// Describes a loss at the end of a graph.
struct Loss {
    TrainingOptions::Loss kind = TrainingOptions::Loss::Automatic; // as chosen
    TensorId prediction; // what is compared: the model's first output
    TensorId labels;     // a new input: int64 classes, or a tensor like the prediction
    TensorId sum;        // sum over all elements, where gradients begin
    TensorId loss;       // sum * scale: the mean
    double scale = 1;
};

/// Adds a loss of the first output to a graph that is being edited; other outputs do not count.
///
/// Cross entropy is that of the classes along the last dimension for rank 3 [n,position,class],
/// along dimension 1 otherwise, by SoftmaxCrossEntropyLoss; labels are int64 with the other
/// dimensions, and the mean is over these. Squared error is the mean of (prediction - target)^2
/// over all elements. Means are a sum times a number, so that a batch can be processed in parts.
///
/// Automatic takes the cross entropy for outputs of rank 2 and 4 with several classes, and for
/// those of rank 3 that result from a product with a constant (with a bias, scaled, reshaped), like
/// those of language models; the squared error for all others.
/// Fails (Model) if the output is not a tensor of reals with a static shape, and (Usage) if the
/// cross entropy is requested and there are no classes; stoppedError() if stopped.
Result<Loss> addLoss(GraphEditor &editor, TrainingOptions::Loss wanted, TensorNames &names,
                     const Opsets &opsets, const std::stop_token &stop = {});

} // namespace graphloom
