// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/condition_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace graphloom {

namespace {

char lower(char c)
{
    return char(std::tolower(static_cast<unsigned char>(c)));
}

/// Returns the factor of a unit, and its length: "k", "MB", "gib", "b".
std::pair<double, std::size_t> unitAt(std::string_view text)
{
    std::size_t at = 0;
    double factor = 1;
    if (const auto power =
            text.empty() ? std::string_view::npos : std::string_view("kmgt").find(lower(text[0]));
        power != std::string_view::npos) {
        const bool binary = text.size() > 1 && lower(text[1]) == 'i';
        factor = std::pow(binary ? 1024.0 : 1000.0, double(power + 1));
        at = binary ? 2 : 1;
    }
    if (at < text.size() && lower(text[at]) == 'b')
        ++at;
    const bool ends = at == text.size() || !std::isalnum(static_cast<unsigned char>(text[at]));
    return ends ? std::pair(factor, at) : std::pair(1.0, std::size_t(0));
}

} // namespace

std::optional<Relation> relationOf(std::string_view sign)
{
    constexpr std::pair<std::string_view, Relation> signs[] = {
        {"==", Relation::Equal},  {"=", Relation::Equal},   {"!=", Relation::Different},
        {"<", Relation::Less},    {"<=", Relation::AtMost}, {">", Relation::More},
        {">=", Relation::AtLeast}};
    for (const auto &[text, relation] : signs)
        if (text == sign)
            return relation;
    return std::nullopt;
}

bool holds(double value, Relation relation, double limit)
{
    switch (relation) {
    case Relation::Equal:
        return value == limit;
    case Relation::Different:
        return value != limit;
    case Relation::Less:
        return value < limit;
    case Relation::AtMost:
        return value <= limit;
    case Relation::More:
        return value > limit;
    case Relation::AtLeast:
        return value >= limit;
    }
    return false;
}

std::optional<Connective> connectiveOf(std::string_view word)
{
    constexpr std::pair<std::string_view, Connective> words[] = {
        {"and", Connective::And}, {"&&", Connective::And},  {"or", Connective::Or},
        {"||", Connective::Or},   {"not", Connective::Not}, {"!", Connective::Not}};
    for (const auto &[text, connective] : words)
        if (std::ranges::equal(text, word, {}, {}, lower))
            return connective;
    return std::nullopt;
}

std::optional<NumberInText> numberAtStart(std::string_view text)
{
    if (text.empty() || (!std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.'))
        return std::nullopt;
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return std::nullopt;
    const auto length = std::size_t(end - text.data());
    const auto [factor, unit] = unitAt(text.substr(length));
    return NumberInText{number * factor, length + unit};
}

} // namespace graphloom
