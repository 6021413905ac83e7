// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace graphloom {

/// Seconds since some time, which is the same as long as the program runs; never goes back.
inline double steadySeconds()
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

} // namespace graphloom
