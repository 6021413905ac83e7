// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"

#include <ostream>

namespace graphloom {

/// Prints the list of --list to `out`, as text or a JSON array. Tells on `err` if it is empty.
/// Returns the exit code.
int runList(const ListOptions &options, std::ostream &out, std::ostream &err);

/// Prints a line for each missing part of the program, with what to do.
void tellMissingParts(std::ostream &err);

} // namespace graphloom
