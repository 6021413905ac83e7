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
    int units = 1;               // cores or the like that share the work of a kernel
    double peakFlops = 0;        // FLOP/s in single precision, of all units together
    double bandwidth = 0;        // bytes/s to memory
    double launchSeconds = 0;    // that a kernel costs whatever it does
    double cacheLineBytes = 64;  // what a read of one element moves when its neighbours are not used
    /// Where each figure is from.
    std::vector<std::pair<std::string, std::string>> sources;
};

/// Reads a description. Fails (Usage) naming the key that is missing, wrong or unknown.
Result<Device> parseDevice(std::string_view json);

/// The descriptions that come with the program, by name.
std::span<const Device> devices();
/// Null when there is none of this name.
const Device *findDevice(std::string_view name);

/// Seconds of a kernel that runs so many scalar operations and moves so many bytes: launch plus
/// the longer of both (roofline). Modelled.
double kernelSeconds(const Device &device, double flops, double bytes);

} // namespace graphloom
