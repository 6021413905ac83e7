// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/gates/expression_node.h"

#include "app/common/condition_words.h"
#include "engine/onnx/format/utf8.h"

#include <cctype>
#include <charconv>
#include <functional>

namespace graphloom {

namespace {

class ExpressionParser {
public:
    explicit ExpressionParser(const std::string &text) : m_text(text) {}

    Result<ExpressionPointer> parse()
    {
        ExpressionPointer root = parseOr();
        skipSpace();
        if (root && m_at != m_text.size())
            root = stop("expected an operator or the end");
        if (!root)
            return fail(Error::Kind::Usage, m_error, "--assert " + shortened());
        return root;
    }

private:
    // Limits so that recursive evaluation and destruction cannot overflow the stack; a chain of
    // operators is as deep as it is long.
    static constexpr int deepest = 100, mostOperators = 1000;

    /// Returns the condition, shortened for a message.
    std::string shortened() const
    {
        constexpr std::size_t most = 200;
        return m_text.size() <= most ? m_text : std::string(beginningOf(m_text, most)) + "\u2026";
    }

    ExpressionPointer stop(const std::string &why)
    {
        if (m_error.empty())
            m_error = why + " at character " + std::to_string(m_at + 1);
        return nullptr;
    }

    static std::string tooDeep()
    {
        return "more than " + std::to_string(deepest) +
               " levels of parentheses and signs: too "
               "deeply nested";
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

    /// Takes a connective, as a whole word or as a sign, if it comes next.
    bool take(Connective connective)
    {
        skipSpace();
        const std::string_view rest = std::string_view(m_text).substr(m_at);
        std::size_t length = 0;
        while (length < rest.size() && isWord(rest[length]))
            ++length;
        if (rest.starts_with("&&") || rest.starts_with("||"))
            length = 2;
        else if (rest.starts_with('!') && !rest.starts_with("!="))
            length = 1;
        if (connectiveOf(rest.substr(0, length)) != connective)
            return false;
        m_at += length;
        return true;
    }

    ExpressionPointer operation(std::string op, std::vector<ExpressionPointer> operands)
    {
        if (++m_operators > mostOperators)
            return stop("more than " + std::to_string(mostOperators) + " operators");
        if (const auto &divisor = operands.back()->literal;
            op == "/" && divisor && *divisor == ExpressionValue(0.0))
            return stop("division by zero");
        ExpressionNode node;
        node.op = std::move(op);
        node.operands = std::move(operands);
        return std::make_shared<const ExpressionNode>(std::move(node));
    }

    static ExpressionPointer literal(ExpressionValue value)
    {
        ExpressionNode node;
        node.literal = std::move(value);
        return std::make_shared<const ExpressionNode>(std::move(node));
    }

    template <class Next>
    ExpressionPointer leftToRight(Next next, const std::function<std::string()> &takeOperator)
    {
        ExpressionPointer left = (this->*next)();
        while (left) {
            std::string op = takeOperator();
            if (op.empty())
                return left;
            ExpressionPointer right = (this->*next)();
            if (!right)
                return nullptr;
            left = operation(std::move(op), {left, right});
        }
        return left;
    }

    ExpressionPointer parseOr()
    {
        return leftToRight(&ExpressionParser::parseAnd,
                           [this] { return take(Connective::Or) ? "or" : ""; });
    }
    ExpressionPointer parseAnd()
    {
        return leftToRight(&ExpressionParser::parseNot,
                           [this] { return take(Connective::And) ? "and" : ""; });
    }

    ExpressionPointer parseNot()
    {
        if (!take(Connective::Not))
            return parseComparison();
        if (++m_depth > deepest)
            return stop(tooDeep());
        ExpressionPointer operand = parseNot();
        --m_depth;
        return operand ? operation("not", {operand}) : nullptr;
    }

    ExpressionPointer parseComparison()
    {
        ExpressionPointer left = parseSum();
        if (!left)
            return nullptr;
        std::string op = take({"==", "!=", "<=", ">=", "<", ">"});
        if (op.empty())
            return left;
        ExpressionPointer right = parseSum();
        return right ? operation(std::move(op), {left, right}) : nullptr;
    }

    ExpressionPointer parseSum()
    {
        return leftToRight(&ExpressionParser::parseProduct, [this] { return take({"+", "-"}); });
    }
    ExpressionPointer parseProduct()
    {
        return leftToRight(&ExpressionParser::parseUnary, [this] { return take({"*", "/"}); });
    }

    ExpressionPointer parseUnary()
    {
        if (++m_depth > deepest)
            return stop(tooDeep());
        ExpressionPointer result;
        if (!take({"-"}).empty()) {
            if (ExpressionPointer operand = parseUnary())
                result = operation("negate", {operand});
        } else {
            result = parsePrimary();
        }
        --m_depth;
        return result;
    }

    ExpressionPointer parsePrimary()
    {
        if (!take({"("}).empty()) {
            ExpressionPointer inner = parseOr();
            if (inner && take({")"}).empty())
                return stop("expected a closing parenthesis");
            return inner;
        }
        if (!take({"true"}).empty())
            return literal(true);
        if (!take({"false"}).empty())
            return literal(false);
        if (m_at == m_text.size())
            return stop("expected a value");
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
            stop("unterminated string");
            return std::nullopt;
        }
        std::string quoted = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return quoted;
    }

    ExpressionPointer parseNumber()
    {
        const auto number = numberAtStart(std::string_view(m_text).substr(m_at));
        if (!number)
            return stop("expected a number");
        m_at += number->length;
        return literal(number->value);
    }

    bool takeWord(ExpressionNode &node)
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isWord(m_text[m_at]))
            ++m_at;
        if (m_at == start)
            return false;
        node.path.emplace_back(m_text.substr(start, m_at - start));
        return true;
    }

    bool takeSubscript(ExpressionNode &node)
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

    ExpressionPointer parsePath()
    {
        ExpressionNode node;
        const std::size_t start = m_at;
        if (!takeWord(node))
            return stop("expected a key, a number or a string");
        while (m_at < m_text.size() && (m_text[m_at] == '.' || m_text[m_at] == '[')) {
            const bool dot = m_text[m_at++] == '.';
            if (dot ? !takeWord(node) : !takeSubscript(node))
                return stop(dot ? "expected a key" : "expected [number] or [\"key\"]");
        }
        node.pathText = m_text.substr(start, m_at - start);
        return std::make_shared<const ExpressionNode>(std::move(node));
    }

    const std::string &m_text;
    std::size_t m_at = 0;
    int m_depth = 0, m_operators = 0;
    std::string m_error;
};

} // namespace

Result<ExpressionPointer> parseExpression(const std::string &text)
{
    return ExpressionParser(text).parse();
}

} // namespace graphloom
