// SPDX-License-Identifier: Apache-2.0
#include "engine/rewrite/terms/rule.h"

#include <algorithm>
#include <charconv>

namespace graphloom {

namespace {

std::string numberText(double value)
{
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

} // namespace

std::string_view nameOf(Rule::Category category)
{
    constexpr std::string_view names[] = {"associative", "distributive", "commutative", "cleanup"};
    return names[std::size_t(category)];
}

std::string textOf(const Requirement &requirement)
{
    const std::string &name = requirement.variable;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    switch (requirement.kind) {
    case Requirement::Kind::NonZero:
        return name + " is not 0";
    case Requirement::Kind::Positive:
        return name + " > 0";
    case Requirement::Kind::Finite:
        return name + " is finite";
    case Requirement::Kind::Within:
        break;
    }
    const auto [least, most] = requirement.range;
    if (most == infinity)
        return name + " >= " + numberText(least);
    if (least == -infinity)
        return name + " <= " + numberText(most);
    return numberText(least) + " <= " + name + " <= " + numberText(most);
}

std::string domainOf(const Rule &rule)
{
    std::string text = rule.domain;
    for (const Requirement &requirement : rule.where)
        text += (text.empty() ? "" : ", ") + textOf(requirement);
    return text.empty() ? "all" : text;
}

ElementTypes elementTypeOf(DataType type)
{
    return type == DataType::Bool    ? Bools
           : isFloatingPoint(type)   ? Reals
           : isSignedInteger(type)   ? SignedIntegers
           : isUnsignedInteger(type) ? UnsignedIntegers
                                     : OtherTypes;
}

bool isInDomain(const Rule &rule, const Match &match)
{
    const auto &inputs = match.rootNode().inputs;
    const auto first = std::ranges::find_if(inputs, [](TensorId id) { return id.valid(); });
    if (first != inputs.end() && !(rule.types & elementTypeOf(match.terms().tensor(*first).type)))
        return false;
    return std::ranges::all_of(rule.where, [&](const Requirement &requirement) {
        switch (requirement.kind) {
        case Requirement::Kind::NonZero:
            return match.isNonZero(requirement.variable);
        case Requirement::Kind::Positive:
            return match.isPositive(requirement.variable);
        case Requirement::Kind::Finite:
            return match.isFinite(requirement.variable);
        case Requirement::Kind::Within:
            break;
        }
        return match.lies(requirement.variable, requirement.range);
    });
}

} // namespace graphloom
