// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/gates/expression_node.h"

#include <nlohmann/json.hpp>

namespace graphloom {

Result<Expression> Expression::parse(const std::string &text)
{
    GL_TRY_RESULT(root, parseExpression(text));
    Expression expression;
    expression.m_text = text;
    expression.m_root = std::move(*root);
    return expression;
}

Result<Expression::Outcome> Expression::evaluate(const nlohmann::ordered_json &report) const
{
    GL_TRY_CONST(evaluated, evaluateExpression(*m_root, report));
    const bool *holds = std::get_if<bool>(&evaluated->value);
    if (!holds)
        return fail(Error::Kind::Usage, "\"" + m_text + "\" is a value, not a condition");
    return Outcome{*holds, evaluated->keys};
}

} // namespace graphloom
