// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "engine/profile/profile_database.h"

#include <ostream>

namespace graphloom {

/// Carries out --profile: describes the profile database, exports it, or imports files. Prints to
/// `out`; errors and refused lines go to `err`. Returns the exit code: 1 if lines of an import were
/// refused.
int runProfile(const ProfileOptions &options, std::ostream &out, std::ostream &err);

} // namespace graphloom
