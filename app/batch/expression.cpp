// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/expression.h"

#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>
#include <vector>

namespace graphloom {

namespace {

using Value = std::variant<double, bool, std::string>;
using PathStep = std::variant<std::string, std::size_t>;

} // namespace

/// A literal, a path, or an operator with one or two operands.
struct Expression::Node {
    std::string op; // empty for literals and paths
    std::optional<Value> literal;
    std::vector<PathStep> path;
    std::string pathText;
    std::vector<std::shared_ptr<const Node>> operands;
};

namespace {

using NodePointer = std::shared_ptr<const Expression::Node>;
using Node = Expression::Node;

class Parser {
public:
    explicit Parser(const std::string &text) : m_text(text) {}

    Result<NodePointer> parse()
    {
        NodePointer root = parseOr();
        skipSpace();
        if (root && m_at != m_text.size())
            root = stop("an operator or the end was expected");
        if (!root)
            return fail(Error::Kind::Usage, m_error, "--assert " + m_text);
        return root;
    }

private:
    static constexpr int deepest = 100;

    NodePointer stop(const std::string &why)
    {
        if (m_error.empty())
            m_error = why + " at character " + std::to_string(m_at + 1);
        return nullptr;
    }

    void skipSpace()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
            ++m_at;
    }

    static bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

    /// Takes one of the operators if it comes next; words only as whole words.
    std::string take(std::initializer_list<std::string_view> operators)
    {
        skipSpace();
        for (const std::string_view op : operators) {
            if (m_text.compare(m_at, op.size(), op) != 0)
                continue;
            const std::size_t end = m_at + op.size();
            if (isWord(op.back()) && end < m_text.size() && isWord(m_text[end]))
                continue;
            m_at = end;
            return std::string(op);
        }
        return {};
    }

    static NodePointer operation(std::string op, std::vector<NodePointer> operands)
    {
        Node node;
        node.op = std::move(op);
        node.operands = std::move(operands);
        return std::make_shared<const Node>(std::move(node));
    }

    static NodePointer literal(Value value)
    {
        Node node;
        node.literal = std::move(value);
        return std::make_shared<const Node>(std::move(node));
    }

    template <class Next>
    NodePointer leftToRight(Next next, std::initializer_list<std::string_view> operators,
                            std::string_view name = {})
    {
        NodePointer left = (this->*next)();
        while (left) {
            std::string op = take(operators);
            if (op.empty())
                return left;
            NodePointer right = (this->*next)();
            if (!right)
                return nullptr;
            left = operation(name.empty() ? std::move(op) : std::string(name), {left, right});
        }
        return left;
    }

    NodePointer parseOr() { return leftToRight(&Parser::parseAnd, {"||", "or"}, "or"); }
    NodePointer parseAnd() { return leftToRight(&Parser::parseNot, {"&&", "and"}, "and"); }

    NodePointer parseNot()
    {
        skipSpace();
        if (m_text.compare(m_at, 2, "!=") == 0 || take({"!", "not"}).empty())
            return parseComparison();
        if (++m_depth > deepest)
            return stop("too deeply nested");
        NodePointer operand = parseNot();
        --m_depth;
        return operand ? operation("not", {operand}) : nullptr;
    }

    NodePointer parseComparison()
    {
        NodePointer left = parseSum();
        if (!left)
            return nullptr;
        std::string op = take({"==", "!=", "<=", ">=", "<", ">"});
        if (op.empty())
            return left;
        NodePointer right = parseSum();
        return right ? operation(std::move(op), {left, right}) : nullptr;
    }

    NodePointer parseSum() { return leftToRight(&Parser::parseProduct, {"+", "-"}); }
    NodePointer parseProduct() { return leftToRight(&Parser::parseUnary, {"*", "/"}); }

    NodePointer parseUnary()
    {
        if (++m_depth > deepest)
            return stop("too deeply nested");
        NodePointer result;
        if (!take({"-"}).empty()) {
            if (NodePointer operand = parseUnary())
                result = operation("negate", {operand});
        } else {
            result = parsePrimary();
        }
        --m_depth;
        return result;
    }

    NodePointer parsePrimary()
    {
        if (!take({"("}).empty()) {
            NodePointer inner = parseOr();
            if (inner && take({")"}).empty())
                return stop("a closing parenthesis was expected");
            return inner;
        }
        if (!take({"true"}).empty())
            return literal(true);
        if (!take({"false"}).empty())
            return literal(false);
        if (m_at == m_text.size())
            return stop("a value was expected");
        const char c = m_text[m_at];
        if (c == '\'' || c == '"') {
            auto quoted = takeQuoted();
            return quoted ? literal(std::move(*quoted)) : nullptr;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.')
            return parseNumber();
        return parsePath();
    }

    std::optional<std::string> takeQuoted()
    {
        const auto end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string::npos) {
            stop("the quotation does not end, which began");
            return std::nullopt;
        }
        std::string quoted = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return quoted;
    }

    NodePointer parseNumber()
    {
        double value = 0;
        const char *begin = m_text.data() + m_at;
        const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), value);
        if (error != std::errc())
            return stop("a number was expected");
        m_at += std::size_t(end - begin);
        return literal(value);
    }

    bool takeWord(Node &node)
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isWord(m_text[m_at]))
            ++m_at;
        if (m_at == start)
            return false;
        node.path.emplace_back(m_text.substr(start, m_at - start));
        return true;
    }

    bool takeSubscript(Node &node)
    {
        if (m_at < m_text.size() && (m_text[m_at] == '"' || m_text[m_at] == '\'')) {
            auto key = takeQuoted();
            if (!key)
                return false;
            node.path.emplace_back(std::move(*key));
        } else {
            std::size_t index = 0;
            const char *begin = m_text.data() + m_at;
            const auto [end, error] = std::from_chars(begin, m_text.data() + m_text.size(), index);
            if (error != std::errc())
                return false;
            m_at += std::size_t(end - begin);
            node.path.emplace_back(index);
        }
        if (m_at == m_text.size() || m_text[m_at] != ']')
            return false;
        ++m_at;
        return true;
    }

    NodePointer parsePath()
    {
        Node node;
        const std::size_t start = m_at;
        if (!takeWord(node))
            return stop("a key, a number or a quotation was expected");
        while (m_at < m_text.size() && (m_text[m_at] == '.' || m_text[m_at] == '[')) {
            const bool dot = m_text[m_at++] == '.';
            if (dot ? !takeWord(node) : !takeSubscript(node))
                return stop(dot ? "a key was expected" : "a [number] or [\"key\"] was expected");
        }
        node.pathText = m_text.substr(start, m_at - start);
        return std::make_shared<const Node>(std::move(node));
    }

    const std::string &m_text;
    std::size_t m_at = 0;
    int m_depth = 0;
    std::string m_error;
};

class Evaluator {
public:
    explicit Evaluator(const nlohmann::ordered_json &report) : m_report(report) {}

    Result<Value> evaluate(const Node &node)
    {
        if (node.literal)
            return *node.literal;
        if (node.op.empty())
            return lookUp(node);
        auto left = evaluate(*node.operands[0]);
        if (!left)
            return left;
        if (node.op == "not" || node.op == "and" || node.op == "or")
            return logical(node, *left);
        if (node.op == "negate") {
            const double *number = std::get_if<double>(&*left);
            return number ? Result<Value>(-*number) : mismatch(node);
        }
        auto right = evaluate(*node.operands[1]);
        if (!right)
            return right;
        return binary(node, *left, *right);
    }

    const std::string &values() const { return m_values; }

private:
    static tl::unexpected<Error> mismatch(const Node &node)
    {
        return fail(Error::Kind::Usage, "\"" + node.op + "\" does not take values of these kinds");
    }

    Result<Value> logical(const Node &node, const Value &left)
    {
        const bool *first = std::get_if<bool>(&left);
        if (!first)
            return mismatch(node);
        if (node.op == "not")
            return !*first;
        // Both sides are looked at, so that a key which is not there is always found.
        auto right = evaluate(*node.operands[1]);
        if (!right)
            return right;
        const bool *second = std::get_if<bool>(&*right);
        if (!second)
            return mismatch(node);
        return node.op == "and" ? *first && *second : *first || *second;
    }

    static Result<Value> binary(const Node &node, const Value &left, const Value &right)
    {
        if (node.op == "==" || node.op == "!=") {
            if (left.index() != right.index())
                return mismatch(node);
            return (left == right) == (node.op == "==");
        }
        const double *a = std::get_if<double>(&left), *b = std::get_if<double>(&right);
        if (!a || !b)
            return mismatch(node);
        if (node.op == "<")
            return *a < *b;
        if (node.op == "<=")
            return *a <= *b;
        if (node.op == ">")
            return *a > *b;
        if (node.op == ">=")
            return *a >= *b;
        if (node.op == "+")
            return *a + *b;
        if (node.op == "-")
            return *a - *b;
        return node.op == "*" ? *a * *b : *a / *b;
    }

    Result<Value> lookUp(const Node &node)
    {
        const nlohmann::ordered_json *at = &m_report;
        for (const PathStep &step : node.path) {
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
                        node.pathText + (at->is_null() ? " has no value" : " holds other keys"));
        m_values += at->dump();
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

Result<Expression> Expression::parse(const std::string &text)
{
    auto root = Parser(text).parse();
    if (!root)
        return tl::unexpected(root.error());
    Expression expression;
    expression.m_text = text;
    expression.m_root = std::move(*root);
    return expression;
}

Result<Expression::Outcome> Expression::evaluate(const nlohmann::ordered_json &report) const
{
    Evaluator evaluator(report);
    const auto value = evaluator.evaluate(*m_root);
    if (!value)
        return tl::unexpected(value.error());
    const bool *holds = std::get_if<bool>(&*value);
    if (!holds)
        return fail(Error::Kind::Usage, "\"" + m_text + "\" is a value and no condition");
    return Outcome{*holds, evaluator.values()};
}

} // namespace graphloom
