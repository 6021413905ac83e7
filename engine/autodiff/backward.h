// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/autodiff/tensor_names.h"
#include "engine/ops/describe/operator_table.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace graphloom {

/// What gradients are to be computed of, and towards what.
struct GradientRequest {
    /// A tensor of one element; the derivative of the loss by it is `seed`.
    TensorId sum;
    double seed = 1;
    std::span<const TensorId> parameters;
    /// Called when the gradient of a parameter is complete: behind the last node that adds to it.
    std::function<void(TensorId parameter, TensorId gradient)> complete;
    std::stop_token stop = {};
};

/// Adds the gradient nodes of a graph (`forward`, inferred) to the editor that was made of it:
/// reverse accumulation, in the reverse of the graph's order, for what lies between parameters and
/// sum only. Several gradients of one tensor are added up as they come. The gradient of x is named
/// "x.gradient", its parts "x.gradient.1"…; nodes are named after the node that they are of. A
/// gradient that is handed on as it is (through an Add) has no node, and keeps its name.
/// Fails (Model) naming a node that has no gradient although a parameter depends on it;
/// stoppedError() when stopped.
Result<void> addGradients(GraphEditor &editor, const Graph &forward, const Opsets &opsets,
                          const GradientRequest &request, TensorNames &names);

} // namespace graphloom
