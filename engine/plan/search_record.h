// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace graphloom {

/// Records the progress and outcome of a search (engine/search).
struct SearchRecord {
    struct Best {
        double seconds = 0; // since the search began, on this machine
        double cost = 0;    // of the best state by then, in the search's own unit
    };
    /// Tells why states, or moves to them, were not taken.
    struct Refusal {
        std::string reason;
        std::uint64_t count = 0;
        std::string example; // the first one, in words; may be empty
    };
    std::string cost;            // meaning and unit of `Best::cost`: "modelled ms of one run"
    std::uint64_t generated = 0; // states that moves led to
    std::uint64_t filtered = 0;  // of these, those that were already known
    std::uint64_t expanded = 0;  // states whose moves were examined
    std::uint64_t simulated = 0; // states whose cost was simulated; 0: the search does not simulate
    double seconds = 0;
    bool exhausted = false; // ended because nothing was left, not by its budget or a request
    std::vector<Best> history;
    std::vector<Refusal> refusals; // the most frequent one first
    /// The state from which the search can continue (Context::resume); null: it cannot.
    std::shared_ptr<const std::string> state;
};

} // namespace graphloom
