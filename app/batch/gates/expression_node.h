// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/gates/expression.h"

#include <optional>
#include <variant>
#include <vector>

namespace graphloom {

using ExpressionValue = std::variant<double, bool, std::string>;
using ExpressionStep = std::variant<std::string, std::size_t>; // a key, an index

/// A literal, a path, or an operator with one or two operands.
struct Expression::Node {
    std::string op; // empty for literals and paths
    std::optional<ExpressionValue> literal;
    std::vector<ExpressionStep> path;
    std::string pathText;
    std::vector<std::shared_ptr<const Node>> operands;
};

using ExpressionNode = Expression::Node;
using ExpressionPointer = std::shared_ptr<const ExpressionNode>;

/// Fails (Usage) naming the position where the text stops making sense.
Result<ExpressionPointer> parseExpression(const std::string &text);

/// What an expression comes to, and the keys that were looked at with their values.
struct EvaluatedExpression {
    ExpressionValue value;
    std::string keys; // "partition.subgraphs is 96, ..."
};
/// Fails as Expression::evaluate().
Result<EvaluatedExpression> evaluateExpression(const ExpressionNode &node,
                                               const nlohmann::ordered_json &report);

} // namespace graphloom
