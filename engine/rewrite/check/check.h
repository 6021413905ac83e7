// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "engine/rewrite/terms/rule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the result of running both sides of a rule.
struct RuleCheck {
    std::string rule;
    /// Number of pairs of graphs, before and after, that gave equal results for the same random
    /// inputs: of several ranks, with operands broadcast, of all element types of the rule, with
    /// zeros, negative numbers and other special values. Reals are compared where the left side is
    /// a finite number, in double precision; integers and bools bit by bit.
    std::size_t compared = 0;
    /// Tells whether the rule also holds if inputs are infinite.
    bool holdsForInfinity = true;
    /// Tells whether the rule makes some instance cheaper.
    bool reduces = false;
    /// FLOPs of an instance before and after: "3*m*n -> 2*m*n" for operands of m x n elements, or
    /// of m x 1 if they are smaller.
    std::string flops;
    /// Describes what is wrong with the rule; empty if nothing is.
    std::string failure;
};
struct CheckOptions {
    std::uint64_t seed = 0;
    int rounds = 6; // of random shapes and values, for each pattern, instance and type
};
RuleCheck checkRule(const Rule &rule, const CheckOptions &options = {});

/// Holds the result of checkTwin(): what is violated, and whether the rule leaves the graph alone.
struct TwinCheck {
    std::string what;
    bool refused = false;
};
/// Makes a graph that the rule must leave alone, since its domain or a condition is violated, and
/// tells whether it does.
TwinCheck checkTwin(const Rule &rule);

/// Returns what --list rules prints about rules.
std::vector<RuleFacts> factsOf(std::span<const Rule> rules);

} // namespace graphloom
