// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "engine/profile/profile_database.h"

#include <ostream>

namespace graphloom {

/// Does what --profile asks for: says what the profile database holds, exports it, or takes up
/// what others exported. Prints to `out`; what went wrong, and lines that were refused, to `err`.
/// Returns the exit code: 1 when lines of an import were refused.
int runProfile(const ProfileOptions &options, std::ostream &out, std::ostream &err);

} // namespace graphloom
