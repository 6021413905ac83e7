// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/verify/verified_plan.h"

namespace graphloom::test {

/// Returns a handmade verification of a plan with at least four tensors, which fails: the first
/// tensor has no counterpart, the second one depends on random numbers, the error begins at the
/// third one, and the last one was not run. All figures differ from their defaults.
inline VerifiedPlan madeVerification(std::shared_ptr<const Plan> plan,
                                     std::string inputs = "cat.png")
{
    using State = TensorError::State;
    VerifiedPlan made;
    TensorErrors &errors = made.errors;
    errors.verification = {.maxAbsError = 0.5,
                           .maxRelError = 0.25,
                           .tolerance = 1e-3,
                           .inputs = 1,
                           .filledWeights = 3,
                           .message = "output \"y\": element 3 is 1, expected 2",
                           .warnings = {"a weight is uniform"}};
    errors.spilledBytes = 4096;
    const TensorId original = plan->model->graph.outputs().front();
    for (const NodeId node : plan->graph.order())
        for (const TensorId tensor : plan->graph.node(node).outputs)
            if (tensor.valid())
                errors.tensors.push_back({tensor, original, node, State::Compared, {}, true});
    errors.tensors[0].original = {};
    errors.tensors[0].state = State::Alone;
    errors.tensors[1].state = State::Drawn;
    TensorError &wrong = errors.tensors[2];
    wrong.comparison = {0.5, 0.25, false, 8, 3, 4, 0.75, "element 3 is 1, expected 2"};
    wrong.passes = false;
    errors.begins = wrong.node;
    errors.tensors.back().state = State::NotRun;
    made.inputs = std::move(inputs);
    made.plan = std::move(plan);
    return made;
}

} // namespace graphloom::test
