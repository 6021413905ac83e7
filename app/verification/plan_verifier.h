// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtGlobal> // first: see item.h

#include "app/results/plan_verification.h"
#include "app/verification/input_source.h"
#include "engine/worker/pass_process.h"

#include <functional>
#include <string_view>
#include <vector>

namespace graphloom {

/// Says how a plan is verified.
struct VerifyChoices {
    double tolerance = VerifyOptions().tolerance;
    std::uint64_t seed = 0; // of random inputs and of weights that are filled in
};

/// Runs the original model and the plan side by side, on the given inputs or on random ones, and
/// compares their tensors. If passes have changed weights that a model without trained weights has
/// one value for, the plan's passes run again on filled weights, as --verify does, provided that
/// `passes` has them and they took seconds only; if they decide differently then, or if they may
/// not run, this is a warning of the verification. Fails as tensorErrors() does, and with
/// stoppedError() if stopped.
Result<VerificationPointer> verifyPlan(std::shared_ptr<const Plan> plan,
                                       const VerifyChoices &choices,
                                       const std::optional<GivenInputs> &inputs,
                                       const std::vector<PassJob> &passes, std::stop_token stop,
                                       std::function<void(double, std::string_view)> progress);

} // namespace graphloom
