// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace graphloom {

/// The registers and the like that a schedule is chosen for.
struct ScheduleTarget {
    int lanes = 8;
    int vectorRegisters = 16;
    int threads = 1;
    bool winograd = true; // convolutions may be computed by Winograd's algorithm (winograd.h)
};

} // namespace graphloom
