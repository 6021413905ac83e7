// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace graphloom {

/// Holds what a machine tells of its state.
struct MachineCondition {
    double megahertz = 0; // clock of the fastest processor now; 0: unknown
    double celsius = 0;   // temperature of the hottest zone; 0: unknown
};

/// Returns the state of this machine. `sys` is where Linux tells it.
MachineCondition machineCondition(const std::filesystem::path &sys = "/sys");

} // namespace graphloom
