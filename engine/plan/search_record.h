// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphloom {

/// What a search did (engine/search).
struct SearchRecord {
    struct Best {
        double seconds = 0; // since the search began, on this machine
        double cost = 0;    // of the best state by then, in the search's own unit
    };
    /// Why states, or moves to them, were not taken.
    struct Refusal {
        std::string reason;
        std::uint64_t count = 0;
        std::string example; // the first one, in words; may be empty
    };
    std::string cost; // what `Best::cost` is: "modelled ms of one run"
    std::uint64_t generated = 0; // states that moves led to
    std::uint64_t filtered = 0;  // of them, those that were known already
    std::uint64_t expanded = 0;  // states whose moves were looked at
    std::uint64_t simulated = 0; // states whose cost was found by simulation; 0: others
    double seconds = 0;
    bool exhausted = false; // ended because nothing was left, not by its budget or a request
    std::vector<Best> history;
    std::vector<Refusal> refusals; // the most frequent one first
    /// From which the search can go on (Context::resume); null: it cannot.
    std::shared_ptr<const std::string> state;
};

} // namespace graphloom
