// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/plan/plan.h"
#include "engine/verify/tensor_errors.h"

#include <memory>
#include <string>

namespace graphloom {

/// Holds a plan that was run beside its original model, and what that has shown.
struct VerifiedPlan {
    std::shared_ptr<const Plan> plan;
    TensorErrors errors;
    std::string inputs; // what both were run on: "random inputs, seed 0"
};

/// Checks a verification from a file: that it has an error for each tensor of the plan, that the
/// counterparts are tensors of the original model, that its figures are possible ones, and that
/// what passes does so by them. Fails (Model).
Result<void> checkVerification(const VerifiedPlan &verified);

} // namespace graphloom
