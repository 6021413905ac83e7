// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace graphloom {

/// One thing that passed, failed or could not be done.
struct Check {
    enum class Outcome { Passed, Failed, Error };

    std::string group; // "pass", "verify", "assert"…
    std::string name;
    Outcome outcome = Outcome::Passed;
    std::string message; // of what did not pass
    double seconds = 0;  // wall clock
};

/// The checks as one JUnit test suite. Characters that XML cannot hold become "?".
std::string junitOf(const std::string &suite, const std::vector<Check> &checks);

} // namespace graphloom
