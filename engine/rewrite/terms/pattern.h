// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// Describes what a rewrite rule looks for: calls of operators over variables. A variable that
/// occurs twice stands for one value. Inputs of commutative calls (algebra.h) match in both orders.
///
///     call("Mul", {call("Exp", {any("x")}).as("left"), call("Exp", {any("y")})})
class Pattern {
public:
    enum class Kind { Any, Constant, Number, Call };
    struct Term {
        Kind kind = Kind::Any;
        std::string name;             // "" if it is not referred to
        double number = 0;            // of a Number
        std::vector<std::string> ops; // of a Call: "Conv" or "com.microsoft.Gelu"; empty: any
        std::vector<Pattern> inputs;
        std::vector<Attribute> attributes; // that the call must have
        std::uint32_t output = 0;          // which output of the call the value is
        bool open = false;                 // the call may have further inputs
        bool once = false;                 // the value has no other reader
    };

    explicit Pattern(Term term) : m_term(std::make_shared<const Term>(std::move(term))) {}
    const Term &operator*() const { return *m_term; }
    const Term *operator->() const { return m_term.get(); }

    /// Names the call, and the value it gives, in the match.
    Pattern as(std::string name) const;
    /// Requires the call to have this attribute with this value.
    Pattern with(std::string attribute, AttributeValue value) const;
    /// Matches another output of the call than the first.
    Pattern output(std::uint32_t index) const;
    /// Permits further inputs, which stay unmatched (Conv's bias). Otherwise a call matches only if
    /// it has as many inputs as the pattern, none of them omitted.
    Pattern andMore() const;
    /// Requires that the value has no other reader. Most rules need not ask: calls that remain for
    /// other readers count in the cost of the replacement.
    Pattern once() const;

    /// Returns the number of calls from the root to the deepest one.
    int depth() const;

private:
    std::shared_ptr<const Term> m_term;
};

/// Matches any value.
Pattern any(std::string name);
/// Matches a constant.
Pattern constant(std::string name);
/// Matches a constant of one element with this value. Tensors of more elements that happen to be
/// equal are untrained parameters, on which no rule should rely.
Pattern number(double value);
/// Matches a call of this operator, qualified with its domain unless that is ai.onnx.
Pattern call(std::string op, std::vector<Pattern> inputs);
/// Matches a call of one of these operators.
Pattern callOf(std::vector<std::string> ops, std::vector<Pattern> inputs);
/// Matches a call of any operator; rules that begin with it are tried everywhere.
Pattern anyCall(std::vector<Pattern> inputs);

} // namespace graphloom
