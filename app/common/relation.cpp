// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/relation.h"

namespace graphloom {

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

} // namespace graphloom
