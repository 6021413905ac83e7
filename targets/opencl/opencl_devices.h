// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "targets/opencl/opencl_library.h"

#include <cstdint>
#include <vector>

namespace graphloom::opencl {

/// Describes a device that a driver offers, as the driver tells it.
struct OpenclDevice {
    cl_device_id id = nullptr;
    std::string name, version, driver; // "Mali-G78", "OpenCL 3.0 …", the version of the driver
    std::string extensions;            // with a space around each
    bool isCpu = false;
    bool isGpu = false;
    bool sharesMemory = false; // with the host
    bool canBeDivided = false; // into sub-devices of some of its units
    unsigned units = 1;
    unsigned megahertz = 0;       // 0: unknown
    unsigned lanes = 4;           // floats of its native vectors
    std::uint64_t memory = 0;     // bytes
    std::uint64_t mostInOne = 0;  // bytes of the largest buffer
    std::uint64_t local = 0;      // bytes of the local memory of a work-group
    std::uint64_t cacheBytes = 0; // of the cache of global memory; 0: none
    std::uint64_t lineBytes = 0;  // of its lines; 0: unknown
    std::uint64_t alignment = 0;  // of sub-buffers, in bytes
    std::size_t mostItems = 1;    // of a work-group
    std::size_t texels = 0;       // of the largest image of a buffer; 0: there are no images

    bool has(const std::string &extension) const
    {
        return extensions.find(" " + extension + " ") != std::string::npos;
    }
    /// Returns what tells the device and its driver from others.
    std::string identity() const { return name + ", " + version + ", driver " + driver; }
};

/// Returns the devices of all drivers, in the order in which these give them. Fails (Missing),
/// telling what to install, if there is no library or no driver.
Result<std::vector<OpenclDevice>> openclDevices();

} // namespace graphloom::opencl
