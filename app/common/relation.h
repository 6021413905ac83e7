// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace graphloom {

/// Compares two numbers, in searches for nodes and in conditions over reports.
enum class Relation : std::uint8_t { Equal, Different, Less, AtMost, More, AtLeast };

/// Returns the relation of a sign: == (or =), !=, <, <=, > or >=. Returns nothing for other texts.
std::optional<Relation> relationOf(std::string_view sign);
bool holds(double value, Relation relation, double limit);

} // namespace graphloom
