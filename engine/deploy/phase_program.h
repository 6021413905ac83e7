// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/deploy/deployed_build.h"
#include "engine/deploy/deployed_plan.h"

namespace graphloom {

/// Holds a program that runs one phase of a kernel: a plan of one step, whose buffers hold zeros.
struct PhaseProgram {
    std::shared_ptr<DeployedPlan> plan;
    std::int64_t tasks = 1; // of the phase
    std::int64_t run = 1;   // the first ones, which the program runs
};

/// Compiles one phase of a kernel with these schedules to a program that runs a share of its tasks,
/// but no fewer than eight. Fails (Missing) if a task needs more memory than it may have, and as
/// phaseOf() and buildRunner() do.
Result<PhaseProgram> buildPhase(const BlockKernel &kernel, PhaseIndex phase,
                                GroupSchedules schedules, const DeployedBuild &build, double share,
                                std::stop_token stop);

} // namespace graphloom
