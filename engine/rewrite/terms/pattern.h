// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/ir/attributes.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace graphloom {

/// What a rewrite rule looks for: calls of operators over variables. A variable that occurs twice
/// stands for one value. Inputs of commutative calls (algebra.h) match in both orders.
///
///     call("Mul", {call("Exp", {any("x")}).as("left"), call("Exp", {any("y")})})
class Pattern {
public:
    enum class Kind { Any, Constant, Number, Call };
    struct Term {
        Kind kind = Kind::Any;
        std::string name;             // "" where nobody asks for it
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

    /// Under this name the call, and the value it gives, are in the match.
    Pattern as(std::string name) const;
    /// Only where this attribute is given with this value.
    Pattern with(std::string attribute, AttributeValue value) const;
    /// The value is another output than the first.
    Pattern output(std::uint32_t index) const;
    /// The call may have further inputs, which stay unmatched (Conv's bias). A call is otherwise
    /// matched only if it has as many inputs, none of them omitted.
    Pattern andMore() const;
    /// Nobody else reads the value. Most rules need not ask: what stays for other readers counts
    /// in the cost of the replacement.
    Pattern once() const;

    /// Calls from the root to the deepest one.
    int depth() const;

private:
    std::shared_ptr<const Term> m_term;
};

/// Any value.
Pattern any(std::string name);
/// A constant.
Pattern constant(std::string name);
/// A constant of one element with this value. Tensors of more elements that happen to be alike are
/// parameters that were not trained, which no rule should rely on.
Pattern number(double value);
/// A call of this operator, qualified with its domain unless that is ai.onnx.
Pattern call(std::string op, std::vector<Pattern> inputs);
/// A call of one of these operators.
Pattern callOf(std::vector<std::string> ops, std::vector<Pattern> inputs);
/// A call of any operator; rules that begin so are tried everywhere.
Pattern anyCall(std::vector<Pattern> inputs);

} // namespace graphloom
