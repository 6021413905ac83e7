// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ir/opsets.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// Describes which gradients are to be computed, and of which loss.
struct GradientRequest {
    /// The tensor of one element at which gradients begin; the derivative of the loss by it is
    /// `seed`.
    TensorId sum;
    double seed = 1;
    std::span<const TensorId> parameters;
    /// Called when the gradient of a parameter is complete: after the last node that adds to it.
    std::function<void(TensorId parameter, TensorId gradient)> complete;
    std::stop_token stop = {};
};

/// Adds the gradient nodes of a graph (`forward`, inferred) to the editor that was made from it, by
/// reverse accumulation in the reverse of the graph's order, only between the parameters and the
/// sum. Several gradients of one tensor are added up as they come. The gradient of x is named
/// "x.gradient", its parts "x.gradient.1"…; nodes are named after the node whose gradient they
/// compute. A gradient that is passed on unchanged (through an Add) has no node, and keeps its
/// name.
/// Fails (Model) naming a node that has no gradient although a parameter depends on it;
/// stoppedError() if stopped.
Result<void> addGradients(GraphEditor &editor, const Graph &forward, const Opsets &opsets,
                          const GradientRequest &request, TensorNames &names);

} // namespace graphloom
