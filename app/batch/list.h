// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"

#include <ostream>

namespace graphloom {

/// Prints what --list asks for to `out`: text, or a JSON array. What there is none of is said
/// on `err`. Returns the exit code.
int runList(const ListOptions &options, std::ostream &out, std::ostream &err);

/// A line for each part of the program that is not there, and what to do.
void tellMissingParts(std::ostream &err);

} // namespace graphloom
