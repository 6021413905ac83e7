// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/deploy/deployed_plan.h"

namespace graphloom::arm64 {

/// Returns the times of an emulated plan as a bracket, with counts for each step: its program runs
/// once, in one thread, under QEMU with our plugin, and llvm-mca estimates its loops. Fails
/// (Missing) with what the machine lacks for that, and as DeployedPlan::runOnce() does.
Result<Measurement> estimatedTimes(DeployedPlan &plan, std::stop_token stop);

} // namespace graphloom::arm64
