// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ops/describe/operator_table.h"

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom::magis {

/// A graph whose convolutions do what normalizations behind them did.
struct WeightScaled {
    Graph graph;
    std::vector<std::string> normalizations; // names of the nodes that went
};

/// Takes normalizations by stored statistics into the convolutions before them, in steps of
/// training, too (an I-Trans beside those of TASO). With k = scale / sqrt(variance + epsilon),
///
///     BatchNormalization(Conv(x, W) + b) = Conv(x, k W) + (bias + k (b - mean)),
///
/// and where g is the gradient of that and G = sum g x, as the gradient of a weight is, those of
/// what is trained follow from G: of W, k G; of scale, (sum G W + (b - mean) sum g) / sqrt(variance
/// + epsilon). So nothing needs the result of the convolution any more, which is half of what a
/// step keeps for its backward pass. k is computed in each step, from the present scale; of the
/// statistics alone, constants are computed. Normalizations stay where something else reads what is
/// between the two. `variables`: weights that are trained. Fails (Model) where a call contradicts
/// its operator; stoppedError() when stopped.
Result<WeightScaled> withScalesInWeights(const Graph &graph, const Opsets &opsets,
                                         std::span<const TensorId> variables,
                                         const std::stop_token &stop = {});

} // namespace graphloom::magis
