// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/pass/pass.h"
#include "engine/rewrite/terms/rule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace graphloom {

/// What running both sides of a rule has shown.
struct RuleCheck {
    std::string rule;
    /// Pairs of graphs, before and after, that gave equal results for the same random inputs: of
    /// several ranks, with operands broadcast, of all element types of the rule, with zeros,
    /// negative numbers and what else may be special. Reals are compared where the left side is
    /// a finite number, in double precision; integers and bools bit by bit.
    std::size_t compared = 0;
    /// It also holds where inputs are infinite.
    bool holdsForInfinity = true;
    /// There is an instance that it makes cheaper.
    bool reduces = false;
    /// FLOPs of an instance before and after: "3*m*n -> 2*m*n" for operands of m x n elements,
    /// or m x 1 where they are smaller.
    std::string flops;
    /// What is wrong with it; empty if nothing is.
    std::string failure;
};
struct CheckOptions {
    std::uint64_t seed = 0;
    int rounds = 6; // of random shapes and values, for each pattern, instance and type
};
RuleCheck checkRule(const Rule &rule, const CheckOptions &options = {});

/// Makes a graph that the rule must leave alone, since its domain or a condition is violated, and
/// says what it is; `refused` tells whether the rule does leave it alone.
struct TwinCheck {
    std::string what;
    bool refused = false;
};
TwinCheck checkTwin(const Rule &rule);

/// What --list rules says of rules.
std::vector<RuleFacts> factsOf(std::span<const Rule> rules);

} // namespace graphloom
