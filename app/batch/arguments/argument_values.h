// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"

#include <charconv>
#include <string_view>

namespace graphloom {

// Parsers of option values. All fail (Usage) with the option and the values that it accepts.

inline constexpr std::int64_t largestExtent = std::int64_t{1} << 40;

/// Returns the whole text as a number, or nothing if it is anything else.
template <class T> std::optional<T> numberOf(std::string_view text)
{
    T value = {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

using InputShapes = std::map<std::string, std::vector<std::int64_t>>;
/// Reads NAME:1x3x224x224 or NAME:scalar, each name once. Names may contain colons.
Result<InputShapes> inputShapesOf(const std::vector<std::string> &texts);

/// Reads pass.parameter=value. Names of parameters may contain dots, names of passes may not.
Result<BatchOptions::Setting> settingOf(const std::string &text);

/// Reads a budget: "180s", "2000trials", "0".
Result<Budget> budgetOf(const std::string &text);

/// Reads the value of --verify; "" is the default.
Result<double> verifyToleranceOf(const std::string &text);

/// Reads NAME or NAME:DEVICE, or several of them separated by commas.
Result<std::vector<BatchOptions::TargetName>> targetNamesOf(const std::string &list);

/// Reads names separated by commas, in one text or several.
Result<std::vector<std::string>> passNamesOf(const std::vector<std::string> &lists);

} // namespace graphloom
