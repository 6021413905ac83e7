// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/builder.h"
#include "engine/rewrite/terms/match.h"

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

/// What a rule needs of a variable. The driver sees to it that the graph proves it, or that the
/// user has chosen to trust it.
struct Requirement {
    enum class Kind { Within, NonZero, Positive, Finite };

    std::string variable;
    Kind kind = Kind::Within;
    Range range = {}; // of Within
};
std::string textOf(const Requirement &requirement);

/// Element types, as far as rules tell them apart.
enum ElementTypes : unsigned {
    Reals = 1,
    SignedIntegers = 2,
    UnsignedIntegers = 4,
    Bools = 8,
    OtherTypes = 16,
    Integers = SignedIntegers | UnsignedIntegers,
    Numbers = Reals | Integers,
    AnyType = Numbers | Bools | OtherTypes,
};
ElementTypes elementTypeOf(DataType type);

/// What variables and attributes of a rule's pattern can be, for its check (check.h), where that
/// cannot be made up: shapes are random otherwise, attributes absent.
struct Instance {
    struct Variable {
        std::string name;
        Shape shape;
        std::optional<TensorData> constant = {};
        DataType type = DataType::Undefined; // undefined: the type under test
    };
    std::vector<Variable> variables;
    /// By the name of a call.
    std::vector<std::pair<std::string, std::vector<Attribute>>> attributes = {};
};

/// A rewrite rule: where a pattern matches and a condition holds, the value of the pattern's root
/// can be computed in another way. Rules neither edit nor decide: the driver checks that types and
/// shapes stay, keeps the names of the graph's outputs and takes what costs less.
struct Rule {
    enum class Category { Associative, Distributive, Commutative, Cleanup };

    std::string name; // says what happens: "merge-exp-of-product"
    Category category = Category::Cleanup;
    std::string formula = {}; // "Exp(a) * Exp(b) = Exp(a + b)"
    std::string domain = {};  // of structural conditions, in words, for readers
    std::string flops = {};   // its change of FLOPs in words, where check.h cannot tell it
    /// What it needs of the values of variables.
    std::vector<Requirement> where = {};
    /// Of the first input of the root.
    unsigned types = AnyType;
    /// Over the real numbers. A rule that is not is off unless asked for.
    bool exact = true;
    /// Alternatives; the first that matches is taken.
    std::vector<Pattern> patterns = {};
    /// Empty: always.
    std::function<bool(const Match &)> when = {};
    std::function<Replacement(const Match &, Builder &)> build = {};

    /// For the check; and such that the rule must not apply, although the pattern may match.
    std::vector<Instance> instances = {}, twins = {};
};
std::string_view nameOf(Rule::Category category);
/// All that a rule requires, "a >= 0, b is not 0", and its `domain`; "all" if that is nothing.
std::string domainOf(const Rule &rule);
/// Whether a match is in the domain of the rule, as far as types and requirements tell.
bool isInDomain(const Rule &rule, const Match &match);

} // namespace graphloom
