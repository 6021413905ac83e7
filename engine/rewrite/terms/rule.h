// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/rewrite/terms/builder.h"
#include "engine/rewrite/terms/match.h"

#include <functional>
#include <string>
#include <vector>

namespace graphloom {

/// Holds the values that replace the outputs of the matched call; an invalid id leaves an output as
/// it is, which is allowed only if nobody reads it.
struct Replacement {
    Replacement(TensorId value) : values{value} {}
    Replacement(std::vector<TensorId> all) : values(std::move(all)) {}

    std::vector<TensorId> values;
};

/// Describes a condition on the values of a variable. The driver ensures that the graph proves it,
/// or that the user has chosen to trust it.
struct Requirement {
    enum class Kind { Within, NonZero, Positive, Finite };

    std::string variable;
    Kind kind = Kind::Within;
    Range range = {}; // of Within
};
std::string textOf(const Requirement &requirement);

/// Lists element types, as far as rules distinguish them.
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

/// Provides variables and attributes of a rule's pattern for its check (check.h), if these cannot
/// be made up: by default shapes are random and attributes absent.
struct Instance {
    struct Variable {
        std::string name;
        Shape shape;
        std::optional<TensorData> constant = {};
        DataType type = DataType::Undefined; // undefined: the type under test
    };
    std::vector<Variable> variables;
    /// Attributes by the name of a call.
    std::vector<std::pair<std::string, std::vector<Attribute>>> attributes = {};
};

/// Represents a rewrite rule: if a pattern matches and a condition holds, the value of the
/// pattern's root can be computed in another way. Rules neither edit nor decide: the driver checks
/// that types and shapes are preserved, keeps the names of the graph's outputs and chooses what
/// costs less.
struct Rule {
    enum class Category { Associative, Distributive, Commutative, Cleanup };

    std::string name; // says what happens: "merge-exp-of-product"
    Category category = Category::Cleanup;
    std::string formula = {}; // "Exp(a) * Exp(b) = Exp(a + b)"
    std::string domain = {};  // structural conditions, in words, for readers
    std::string flops = {};   // change of FLOPs in words, if check.h cannot derive it
    /// Conditions on the values of variables.
    std::vector<Requirement> where = {};
    /// Permitted element types of the first input of the root.
    unsigned types = AnyType;
    /// Tells whether the rule holds exactly over the real numbers. If not, it is off unless
    /// requested.
    bool exact = true;
    /// Alternatives; the first that matches is taken.
    std::vector<Pattern> patterns = {};
    /// Further condition; empty: always true.
    std::function<bool(const Match &)> when = {};
    std::function<Replacement(const Match &, Builder &)> build = {};

    /// Instances for the check; to twins the rule must not apply, although the pattern may match.
    std::vector<Instance> instances = {}, twins = {};
};
std::string_view nameOf(Rule::Category category);
/// Returns all that a rule requires, its `domain` and "a >= 0, b is not 0"; "all" if that is
/// nothing.
std::string domainOf(const Rule &rule);
/// Tells whether a match is in the domain of the rule, as far as types and requirements show.
bool isInDomain(const Rule &rule, const Match &match);

} // namespace graphloom
