// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/cost/machine.h"
#include "targets/opencl/opencl_queue.h"

#include <stop_token>

namespace graphloom::opencl {

/// Holds the highest rates measured on a device.
struct OpenclPeaks {
    double flops = 0;  // FLOP/s of all units: single-precision multiply-adds, 2 each
    double memory = 0; // bytes/s read from memory
    double cache = 0;  // bytes/s read from the cache that all units share; 0: it has none
    double launch = 0; // seconds between kernels that do nothing
};

/// Returns what an earlier call has measured and kept in the folder; otherwise measures for some
/// seconds. Fails as OpenclQueue's functions do.
Result<OpenclPeaks> measuredPeaks(const OpenclQueue &queue, int lanes,
                                  const std::filesystem::path &folder, std::stop_token stop);

/// Describes a device by what its driver tells and what was measured.
Machine machineOf(const OpenclDevice &device, int lanes, int registers, const OpenclPeaks &peaks);

} // namespace graphloom::opencl
