// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

namespace graphloom {

/// Returns the peak resident memory of this program so far, in MB of 2^20 bytes. Does not use
/// getrusage(), which begins with the peak of the parent process.
inline double peakMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:"))
            return std::stod(line.substr(6)) / 1024;
    return 0;
}

} // namespace graphloom
