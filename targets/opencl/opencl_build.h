// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/opencl/chosen_device.h"
#include "targets/opencl/opencl_plan.h"

namespace graphloom::opencl {

/// Returns the text of a program with one kernel.
std::string programOf(const BlockKernel::Phase &phase, int lanes);

/// Builds a plan for a device; binaries are kept in the folder. Blocks whose kernels do not compile
/// are interpreted, with the reason. Fails as generateKernels() and OpenclPlan::make() do,
/// (Missing) if a kernel that copies an input does not compile, and (Fault) when stopped.
Result<std::shared_ptr<OpenclPlan>> buildPlan(const Plan &plan, const ChosenDevice &device,
                                              const std::filesystem::path &folder,
                                              const BuildOptions &options);

} // namespace graphloom::opencl
