// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace graphloom {

/// An `Expression` is a condition over the keys of a report, in the syntax of --assert:
///     partition.subgraphs <= 82 and partition.jain >= 0.55
///     passes[0].seconds < 1 || model.operators["com.example.Op"] == 3
/// with == != < <= > >=, + - * /, and or not (&& || !), parentheses, numbers, true, false and
/// quoted text.
class Expression {
public:
    /// Parses an expression. Fails (Usage) with the position of the syntax error.
    static Result<Expression> parse(const std::string &text);

    struct Outcome {
        bool holds = false;
        std::string values; // "partition.subgraphs is 96", for every key that was read
    };
    /// Evaluates the expression. Fails (Usage) if a key is not in the report, or its value has
    /// another type than the operator takes.
    Result<Outcome> evaluate(const nlohmann::ordered_json &report) const;

    const std::string &text() const { return m_text; }

    struct Node;

private:
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

} // namespace graphloom
