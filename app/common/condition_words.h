// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace graphloom {

// The words that searches for nodes and conditions over reports have in common: what one
// understands, the other understands in the same way.

/// Compares two numbers.
enum class Relation : std::uint8_t { Equal, Different, Less, AtMost, More, AtLeast };

/// Returns the relation of a sign: == (or =), !=, <, <=, > or >=. Returns nothing for other texts.
std::optional<Relation> relationOf(std::string_view sign);
bool holds(double value, Relation relation, double limit);

/// Combines conditions.
enum class Connective : std::uint8_t { And, Or, Not };

/// Returns the connective of a word in any case, or of a sign: "and" or &&, "or" or ||, "not" or !.
/// Returns nothing for other texts.
std::optional<Connective> connectiveOf(std::string_view word);

/// Holds a number and how many characters of a text it takes.
struct NumberInText {
    double value = 0;
    std::size_t length = 0;
};
/// Returns the number without a sign that a text begins with, if any: "64", ".5", "1e-3". It may
/// have a unit: "1.5M" and "2MB" count thousands, "2MiB" 1,024s.
std::optional<NumberInText> numberAtStart(std::string_view text);

} // namespace graphloom
