// SPDX-License-Identifier: Apache-2.0
#include "engine/ir/dim_reader.h"

#include <charconv>

namespace graphloom {

namespace {

constexpr int deepest = 64; // Dim rejects expressions long before

/// sum = ["-"] product {("+" | "-") product}; product = operand {"*" operand};
/// operand = number | name | quoted | "(" sum ")" | function.
class DimReader {
public:
    explicit DimReader(std::string_view text) : m_text(text) {}

    Result<Dim> read()
    {
        const Dim value = sum(0);
        if (m_failed || m_at != m_text.size())
            return fail(Error::Kind::Model,
                        "\"" + std::string(m_text) +
                            "\" is not a valid extent: syntax error at character " +
                            std::to_string(m_at + 1));
        return value;
    }

private:
    bool skip(char c)
    {
        if (m_failed || m_at >= m_text.size() || m_text[m_at] != c)
            return false;
        ++m_at;
        return true;
    }
    void expect(char c)
    {
        if (!skip(c))
            m_failed = true;
    }

    Dim sum(int depth)
    {
        if (depth > deepest) {
            m_failed = true;
            return {};
        }
        Dim total = skip('-') ? Dim(0) - product(depth) : product(depth);
        for (;;) {
            if (skip('+'))
                total += product(depth);
            else if (skip('-'))
                total = total - product(depth);
            else
                return total;
        }
    }
    Dim product(int depth)
    {
        Dim value = operand(depth);
        while (skip('*'))
            value *= operand(depth);
        return value;
    }
    Dim operand(int depth)
    {
        if (skip('(')) {
            const Dim value = sum(depth + 1);
            expect(')');
            return value;
        }
        if (skip('"'))
            return Dim::symbol(quoted());
        const std::size_t begin = m_at;
        while (m_at < m_text.size() &&
               std::string_view("+-*/(),\"").find(m_text[m_at]) == std::string_view::npos)
            ++m_at;
        const std::string_view word = m_text.substr(begin, m_at - begin);
        if (word.empty()) {
            m_failed = true;
            return {};
        }
        if (word.front() >= '0' && word.front() <= '9')
            return number(word);
        if (m_at < m_text.size() && m_text[m_at] == '(')
            return function(word, depth);
        return word == "overflow" ? Dim::overflow() : Dim::symbol(std::string(word));
    }
    Dim number(std::string_view word)
    {
        std::int64_t value = 0;
        const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
        m_failed = m_failed || problem != std::errc() || end != word.data() + word.size();
        return value;
    }
    Dim function(std::string_view name, int depth)
    {
        expect('(');
        const Dim left = sum(depth + 1);
        expect(name == "floor" ? '/' : ',');
        const Dim right = sum(depth + 1);
        expect(')');
        if (name == "floor")
            return Dim::floorDiv(left, right);
        if (name == "mod")
            return Dim::mod(left, right);
        if (name == "max")
            return Dim::max(left, right);
        if (name == "min")
            return Dim::min(left, right);
        m_failed = true;
        return {};
    }
    /// Reads on after the opening quote; a quote inside is doubled.
    std::string quoted()
    {
        std::string name;
        while (!m_failed) {
            if (skip('"')) {
                if (!skip('"'))
                    break;
                name += '"';
            } else if (m_at < m_text.size()) {
                name += m_text[m_at++];
            } else {
                m_failed = true;
            }
        }
        return name;
    }

    const std::string_view m_text;
    std::size_t m_at = 0;
    bool m_failed = false;
};

} // namespace

Result<Dim> readDim(std::string_view text)
{
    return DimReader(text).read();
}

} // namespace graphloom
