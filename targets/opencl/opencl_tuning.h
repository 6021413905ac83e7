// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/target/target.h"
#include "targets/opencl/chosen_device.h"

namespace graphloom::opencl {

/// Implements Target::tune() for a device: candidates are compiled by its driver, run there and
/// timed by it; whole plans are built and run by `target`.
Result<Plan> tuneOnDevice(const Plan &plan, const ChosenDevice &device,
                          const std::filesystem::path &folder, const TuneOptions &options,
                          const Target &target);

} // namespace graphloom::opencl
