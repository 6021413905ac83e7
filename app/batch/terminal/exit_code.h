// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <string>

namespace graphloom {

/// Exit codes of the command line in addition to those of exitCodeOf().
inline constexpr int exitDone = 0, exitFailed = 1, exitCancelled = 130;
/// Returns the exit code of an error: Usage 2, Model 3, Missing 4, Fault 5, Stopped exitCancelled.
int exitCodeOf(Error::Kind kind);
/// Returns "graphloom: where: message"; a fault also names the place in the program.
std::string textForUser(const Error &error);

} // namespace graphloom
