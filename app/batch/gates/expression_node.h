// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/gates/expression.h"

#include <optional>
#include <variant>
#include <vector>

namespace graphloom {

using ExpressionValue = std::variant<double, bool, std::string>;
using ExpressionStep = std::variant<std::string, std::size_t>; // a key, an index

/// Holds a literal, a path, or an operator with one or two operands.
struct Expression::Node {
    std::string op; // empty for literals and paths
    std::optional<ExpressionValue> literal;
    std::vector<ExpressionStep> path;
    std::string pathText;
    std::vector<std::shared_ptr<const Node>> operands;
};

using ExpressionNode = Expression::Node;
using ExpressionPointer = std::shared_ptr<const ExpressionNode>;

/// Parses an expression. Fails (Usage) with the position of the syntax error.
Result<ExpressionPointer> parseExpression(const std::string &text);

/// Holds the value of an expression, and the keys that were read with their values.
struct EvaluatedExpression {
    ExpressionValue value;
    std::string keys; // "partition.subgraphs is 96, ..."
};
/// Evaluates a node. Fails as Expression::evaluate().
Result<EvaluatedExpression> evaluateExpression(const ExpressionNode &node,
                                               const nlohmann::ordered_json &report);

} // namespace graphloom
