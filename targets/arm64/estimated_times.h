// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/deploy/deployed_plan.h"
#include "targets/arm64/bracket.h"

namespace graphloom::arm64 {

/// Fails (Missing) with what this machine lacks to estimate plans for the fastest units of another.
Result<void> checkCounting(const Machine &machine, std::stop_token stop);

/// Returns what is known of each step of an emulated plan: its program runs once, in one thread,
/// under QEMU with our plugin, and llvm-mca estimates its loops. Fails (Missing) with what the
/// machine lacks for that, and as DeployedPlan::runOnce() does.
Result<std::vector<KernelEstimate>> stepEstimates(DeployedPlan &plan, std::stop_token stop);

/// Returns the times of an emulated plan as a bracket, with counts for each step. Fails as
/// stepEstimates() does.
Result<Measurement> estimatedTimes(DeployedPlan &plan, std::stop_token stop);

} // namespace graphloom::arm64
