// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <string>
#include <string_view>

namespace graphloom {

/// How much worse than in the baseline figures may be whose path in the report the pattern matches.
struct Tolerance {
    std::string pattern; // "latency.*": a * stands for anything, dots too
    double amount = 0;   // of the earlier figure when relative, else in the figure's own unit
    bool relative = false;

    /// The worst figure that still passes lies so far from the earlier one.
    double slackAt(double before) const;
    /// "5 %", "3".
    std::string text() const;
};

/// Reads METRIC=5% or METRIC=3. Fails (Usage) naming what it takes.
Result<Tolerance> toleranceOf(const std::string &text);

/// Whether a pattern with * for any characters matches the whole text.
bool matchesPattern(std::string_view pattern, std::string_view text);

} // namespace graphloom
