// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace graphloom {

/// Holds how much worse than the baseline a figure may be if its path in the report matches the
/// pattern.
struct Tolerance {
    std::string pattern; // "latency.*": * matches any characters, dots too
    double amount = 0;   // of the earlier figure if `relative`, else in its unit
    bool relative = false;

    /// Returns the greatest distance from the earlier figure that still passes.
    double slackAt(double before) const;
    /// Returns the amount as text: "5 %", "3".
    std::string text() const;
};

/// Reads METRIC=5% or METRIC=3. Fails (Usage) with the form that it accepts.
Result<Tolerance> toleranceOf(const std::string &text);

/// Tells whether a pattern, in which * matches any characters, matches the whole text.
bool matchesPattern(std::string_view pattern, std::string_view text);

} // namespace graphloom
