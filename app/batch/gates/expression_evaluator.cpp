// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/gates/expression_node.h"

#include "app/common/condition_words.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace graphloom {

namespace {

class ExpressionEvaluator {
public:
    explicit ExpressionEvaluator(const nlohmann::ordered_json &report) : m_report(report) {}

    Result<ExpressionValue> evaluate(const ExpressionNode &node)
    {
        if (node.literal)
            return *node.literal;
        if (node.op.empty())
            return lookUp(node);
        GL_TRY_RESULT(left, evaluate(*node.operands[0]));
        if (node.op == "not" || node.op == "and" || node.op == "or")
            return logical(node, *left);
        if (node.op == "negate") {
            const double *number = std::get_if<double>(&*left);
            return number ? Result<ExpressionValue>(-*number) : mismatch(node);
        }
        GL_TRY_RESULT(right, evaluate(*node.operands[1]));
        return binary(node, *left, *right);
    }

    const std::string &values() const { return m_values; }

private:
    static tl::unexpected<Error> mismatch(const ExpressionNode &node)
    {
        return fail(Error::Kind::Usage,
                    "\"" + node.op + "\" cannot be applied to operands of these types");
    }

    Result<ExpressionValue> logical(const ExpressionNode &node, const ExpressionValue &left)
    {
        const bool *first = std::get_if<bool>(&left);
        if (!first)
            return mismatch(node);
        if (node.op == "not")
            return !*first;
        // Both sides are evaluated, so that a missing key is always reported.
        GL_TRY_RESULT(right, evaluate(*node.operands[1]));
        const bool *second = std::get_if<bool>(&*right);
        if (!second)
            return mismatch(node);
        return node.op == "and" ? *first && *second : *first || *second;
    }

    static Result<ExpressionValue> binary(const ExpressionNode &node, const ExpressionValue &left,
                                          const ExpressionValue &right)
    {
        if (node.op == "==" || node.op == "!=") {
            if (left.index() != right.index())
                return mismatch(node);
            return (left == right) == (node.op == "==");
        }
        const double *a = std::get_if<double>(&left), *b = std::get_if<double>(&right);
        if (!a || !b)
            return mismatch(node);
        if (const auto relation = relationOf(node.op))
            return holds(*a, *relation, *b);
        if (node.op == "/" && *b == 0)
            return fail(Error::Kind::Usage, "division by zero");
        const double result = node.op == "+"   ? *a + *b
                              : node.op == "-" ? *a - *b
                              : node.op == "*" ? *a * *b
                                               : *a / *b;
        if (!std::isfinite(result))
            return fail(Error::Kind::Usage,
                        "\"" + node.op + "\" overflows: the result is too large");
        return result;
    }

    Result<ExpressionValue> lookUp(const ExpressionNode &node)
    {
        const nlohmann::ordered_json *at = &m_report;
        for (const ExpressionStep &step : node.path) {
            const std::string *key = std::get_if<std::string>(&step);
            const std::size_t *index = std::get_if<std::size_t>(&step);
            if (key && at->is_object() && at->contains(*key))
                at = &at->at(*key);
            else if (index && at->is_array() && *index < at->size())
                at = &at->at(*index);
            else
                return fail(Error::Kind::Usage, node.pathText + " is not in the report");
        }
        if (!m_values.empty())
            m_values += ", ";
        m_values += node.pathText + " is ";
        if (at->is_structured() || at->is_null())
            return fail(Error::Kind::Usage,
                        node.pathText +
                            (at->is_null() ? " has no value" : " is not a single value"));
        m_values += at->dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        if (at->is_number())
            return at->get<double>();
        if (at->is_boolean())
            return at->get<bool>();
        return at->get<std::string>();
    }

    const nlohmann::ordered_json &m_report;
    std::string m_values;
};

} // namespace

Result<EvaluatedExpression> evaluateExpression(const ExpressionNode &node,
                                               const nlohmann::ordered_json &report)
{
    ExpressionEvaluator evaluator(report);
    GL_TRY_CONST(value, evaluator.evaluate(node));
    return EvaluatedExpression{*value, evaluator.values()};
}

} // namespace graphloom
