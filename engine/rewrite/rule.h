// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/builder.h"
#include "engine/rewrite/match.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom {

/// What stands for the outputs of the matched call from now on; an invalid id leaves an output as
/// it is, which is allowed only if nobody reads it.
struct Replacement {
    Replacement(TensorId value) : values{value} {}
    Replacement(std::vector<TensorId> all) : values(std::move(all)) {}

    std::vector<TensorId> values;
};

/// A rewrite rule: where a pattern matches and a condition holds, the value of the pattern's root
/// can be computed in another way. Rules neither edit nor decide: the driver checks that types and
/// shapes stay, keeps the names of the graph's outputs and takes what costs less.
struct Rule {
    enum class Category { Associative, Distributive, Commutative, Cleanup };

    std::string name; // says what happens: "merge-exp-of-product"
    Category category = Category::Cleanup;
    std::string formula = {};   // "Exp(a) * Exp(b) = Exp(a + b)"
    std::string domain = "all"; // where it holds: "b >= 0"
    std::string flops = {};     // of the typical instance: "4*n -> 2*n"
    /// Over the real numbers. A rule that is not is off unless asked for.
    bool exact = true;
    /// Alternatives; the first that matches is taken.
    std::vector<Pattern> patterns = {};
    /// Empty: always.
    std::function<bool(const Match &)> when = {};
    std::function<Replacement(const Match &, Builder &)> build = {};
};
std::string_view nameOf(Rule::Category category);

} // namespace graphloom
