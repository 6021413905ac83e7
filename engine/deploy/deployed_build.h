// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"
#include "engine/cost/device.h"
#include "engine/deploy/toolchain.h"
#include "engine/package/package.h"

namespace graphloom {

/// Says what a plan is built for.
struct DeployedBuild {
    Toolchain &toolchain;
    std::shared_ptr<Connection> connection;
    ScheduleTarget schedules;
    PackageContent content; // device, instructions and processorFlags; the rest is ignored
    /// The machine with the units that run the plan; where the connection is an emulator, times are
    /// those of its model.
    Device device;
};

/// Implements Target::build(): writes the plan as a package and compiles its program. Fails as
/// writePackage() and buildRunner() do.
Result<std::shared_ptr<BuiltPlan>> buildDeployed(const Plan &plan, const DeployedBuild &build,
                                                 const BuildOptions &options);

} // namespace graphloom
