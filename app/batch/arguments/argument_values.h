// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"

#include <charconv>
#include <string_view>

namespace graphloom {

// What options of the command line take. All fail (Usage) naming the option and what it takes.

inline constexpr std::int64_t largestExtent = std::int64_t{1} << 40;

/// The whole text as a number; none when it is anything else.
template <class T> std::optional<T> numberOf(std::string_view text)
{
    T value = {};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty())
        return std::nullopt;
    return value;
}

using InputShapes = std::map<std::string, std::vector<std::int64_t>>;
/// NAME:1x3x224x224, NAME:scalar, each name once. Names may hold colons themselves.
Result<InputShapes> inputShapesOf(const std::vector<std::string> &texts);

/// pass.parameter=value. Parameters' names may hold dots themselves, passes' names may not.
Result<BatchOptions::Setting> settingOf(const std::string &text);

/// "180s", "2000trials", "0".
Result<Budget> budgetOf(const std::string &text);

/// What --verify takes; "" is the default.
Result<double> verifyToleranceOf(const std::string &text);

/// NAME or NAME:DEVICE.
Result<BatchOptions::TargetName> targetNameOf(const std::string &text);

/// Names with commas between them, in one text or several.
Result<std::vector<std::string>> passNamesOf(const std::vector<std::string> &lists);

} // namespace graphloom
