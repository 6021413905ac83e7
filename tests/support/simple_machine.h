// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace graphloom::test {

/// Describes a machine of one unit with a level of its own, and as little else as is allowed.
inline constexpr std::string_view simpleMachine = R"({
    "name": "d",
    "title": "D",
    "units": [{
        "name": "core",
        "count": {"value": 1, "assumed": "one"},
        "gflops": {"value": 2, "assumed": "two"},
        "lanes": {"value": 4, "assumed": "four"},
        "memory": [{"name": "L1", "bandwidth_gb_per_s": {"value": 4, "assumed": "four"}}]
    }],
    "memory": [{
        "name": "memory",
        "bandwidth_gb_per_s": {"value": 1, "assumed": "one"},
        "line_bytes": {"value": 64, "assumed": "usual"}
    }],
    "scratch": "L1",
    "launch_us": {"value": 5, "assumed": "five"}
})";

} // namespace graphloom::test
