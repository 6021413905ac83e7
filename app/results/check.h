// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace graphloom {

/// Holds the outcome of a check: passed, failed, could not be done, or skipped.
struct Check {
    enum class Outcome { Passed, Failed, Error, Skipped };

    std::string group; // "pass", "verify", "assert"…
    std::string name;
    Outcome outcome = Outcome::Passed;
    std::string message;     // if it did not pass
    double seconds = 0;      // wall clock
    std::string output = {}; // lines printed about it
};

} // namespace graphloom
