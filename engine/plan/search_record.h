// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace graphloom {

/// What a search did (engine/search).
struct SearchRecord {
    struct Best {
        double seconds = 0; // since the search began, on this machine
        double cost = 0;    // of the best state by then, in the search's own unit
    };
    std::uint64_t generated = 0; // states that moves led to
    std::uint64_t filtered = 0;  // of them, those that were known already
    std::uint64_t expanded = 0;  // states whose moves were looked at
    std::uint64_t simulated = 0; // states whose cost was found by simulation; 0: others
    double seconds = 0;
    bool exhausted = false; // ended because nothing was left, not by its budget or a request
    std::vector<Best> history;
};

} // namespace graphloom
