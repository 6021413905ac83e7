// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace graphloom {

/// Describes what one thread did in a step of a traced run.
struct TraceSlice {
    std::uint32_t step = 0;
    unsigned thread = 0;
    double start = 0, seconds = 0; // from its first task to its last; start: since the run began
    std::int64_t tasks = 0;        // iterations of parallel loops; 0 when interpreted
};

} // namespace graphloom
