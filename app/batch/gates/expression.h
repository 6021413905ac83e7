// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace graphloom {

/// A condition over the keys of a report, as --assert takes it:
///     partition.subgraphs <= 82 and partition.jain >= 0.55
///     passes[0].seconds < 1 || model.operators["com.example.Op"] == 3
/// with == != < <= > >=, + - * /, and or not (&& || !), parentheses, numbers, true, false and
/// quoted text.
class Expression {
public:
    /// Fails (Usage) naming the position where the text stops making sense.
    static Result<Expression> parse(const std::string &text);

    struct Outcome {
        bool holds = false;
        std::string values; // "partition.subgraphs is 96", for every key that was looked at
    };
    /// Fails (Usage) when a key is not in the report or has a value of another kind than the
    /// operator takes.
    Result<Outcome> evaluate(const nlohmann::ordered_json &report) const;

    const std::string &text() const { return m_text; }

    struct Node;

private:
    std::string m_text;
    std::shared_ptr<const Node> m_root;
};

} // namespace graphloom
