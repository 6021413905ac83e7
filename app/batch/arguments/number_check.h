// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/argument_values.h"

#include <CLI/CLI.hpp>
#include <concepts>
#include <cstdio>

namespace graphloom {

/// Returns a validator for an option with a number. The range check of CLI11 accepts NaN, and its
/// message for a text that is not a number does not name the range.
template <class Number> CLI::Validator numberIn(Number least, Number most)
{
    const auto textOf = [](Number number) {
        if constexpr (std::integral<Number>)
            return std::to_string(number);
        char text[32];
        std::snprintf(text, sizeof text, "%g", double(number));
        return std::string(text);
    };
    const std::string allowed = std::string(std::integral<Number> ? "a whole number" : "a number") +
                                " from " + textOf(least) + " to " + textOf(most);
    return CLI::Validator(
        [=](std::string &text) {
            const auto number = numberOf<Number>(text);
            return number && *number >= least && *number <= most
                       ? std::string()
                       : "\"" + text + "\" is not " + allowed;
        },
        "");
}

} // namespace graphloom
