// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace graphloom {

/// Returns the seconds since a point in time that is fixed while the program runs; never decreases.
inline double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace graphloom
