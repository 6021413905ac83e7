// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace graphloom {

/// What the analytic cost model knows of a device; read from resources/devices/*.json.
struct Device {
    std::string name, title;
    int units = 1;              // cores or the like that share the work of a kernel
    int lanes = 1;              // single-precision elements of one vector
    double peakFlops = 0;       // FLOP/s in single precision, of all units together
    double bandwidth = 0;       // bytes/s to memory
    double cacheBandwidth = 0;  // bytes/s to scratch memory, of all units together
    double launchSeconds = 0;   // that a kernel costs whatever it does
    double cacheLineBytes = 64; // what a read of one element moves when its neighbours are not used
    /// Where each figure is from.
    std::vector<std::pair<std::string, std::string>> sources;
};

/// Reads a description. Fails (Usage) naming the key that is missing, wrong or unknown.
Result<Device> parseDevice(std::string_view json);

/// The descriptions that come with the program, by name.
std::span<const Device> devices();
/// Their names, in the same order: the choices of a parameter.
std::span<const std::string_view> deviceNames();
/// Null when there is none of this name.
const Device *findDevice(std::string_view name);

/// What a kernel does.
struct KernelWork {
    double flops = 0;      // scalar operations
    double bytes = 0;      // to and from memory
    double cacheBytes = 0; // to and from scratch memory
};
/// Seconds of a kernel: launch, operations and bytes one after the other. Real kernels overlap
/// them in part; without overlap every byte that is saved counts, also beside heavy operations.
/// Modelled.
double kernelSeconds(const Device &device, const KernelWork &work);

} // namespace graphloom
