// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/deploy/deployed_build.h"
#include "engine/tuning/phase_model.h"

namespace graphloom::arm64 {

/// Returns times of phases for a tuner, each of a program of its own: what the device measures, or,
/// where the connection is an emulator, the upper bound of the phase's bracket (bracketOf()), from
/// counts of its tasks, of very large ones of a part. `build` must outlive the result. Phases that
/// do not compile or run have a problem.
PhaseTimes phaseTimes(const DeployedBuild &build, std::stop_token stop);

} // namespace graphloom::arm64
