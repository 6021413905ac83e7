// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/results/check.h"

#include <chrono>
#include <utility>
#include <vector>

namespace graphloom {

/// Holds what a test suite has besides its test cases.
struct JunitSuite {
    std::string name;
    std::vector<std::pair<std::string, std::string>> properties;
    std::string output; // printed by the run
    std::chrono::system_clock::time_point start;
    double seconds = 0; // of the whole run; 0: the sum of the checks
};

/// Returns the checks as one JUnit test suite, in the form that Surefire writes and Jenkins reads.
/// Characters that XML cannot hold become "?".
std::string junitOf(const JunitSuite &suite, const std::vector<Check> &checks);

} // namespace graphloom
