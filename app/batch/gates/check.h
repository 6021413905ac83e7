// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace graphloom {

/// One thing that passed, failed, could not be done or was left out.
struct Check {
    enum class Outcome { Passed, Failed, Error, Skipped };

    std::string group; // "pass", "verify", "assert"…
    std::string name;
    Outcome outcome = Outcome::Passed;
    std::string message;     // of what did not pass
    double seconds = 0;      // wall clock
    std::string output = {}; // what was said of it
};

} // namespace graphloom
