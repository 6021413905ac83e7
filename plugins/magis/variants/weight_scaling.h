// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/opsets.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom::magis {

/// Holds a graph whose convolutions include the normalizations that came after them.
struct WeightScaled {
    Graph graph;
    std::vector<std::string> normalizations; // names of the removed nodes
};

/// Folds normalizations by stored statistics into the convolutions before them, in training steps,
/// too (an I-Trans in addition to those of TASO). With k = scale / sqrt(variance + epsilon),
///
///     BatchNormalization(Conv(x, W) + b) = Conv(x, k W) + (bias + k (b - mean)).
///
/// Let g be the gradient of that and G = sum g x, which has the form of the gradient of a weight.
/// The gradients of the trained values follow from G: that of W is k G; that of scale is (sum G W +
/// (b - mean) sum g) / sqrt(variance + epsilon). So nothing needs the result of the convolution any
/// more, which is half of what a training step keeps for its backward pass. k is computed in each
/// step, from the present scale; values that depend on the statistics alone become constants.
/// Normalizations stay if something else reads the tensors between the two nodes. `variables` are
/// the weights that are trained. Fails (Model) if a call contradicts its operator; returns
/// stoppedError() if stopped.
Result<WeightScaled> withScalesInWeights(const Graph &graph, const Opsets &opsets,
                                         std::span<const TensorId> variables,
                                         const std::stop_token &stop = {});

} // namespace graphloom::magis
