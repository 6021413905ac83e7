// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace graphloom {

/// Returns the value of an environment variable; empty if it is not set.
std::string environmentVariable(const char *name);

/// Returns the words of a command that has no quotes: "ccache gcc".
std::vector<std::string> wordsOf(const std::string &command);

} // namespace graphloom
