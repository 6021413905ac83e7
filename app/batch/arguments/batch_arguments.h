// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "app/batch/arguments/raw_arguments.h"

namespace graphloom {

/// None for a name that is empty.
std::optional<std::filesystem::path> optionalPath(const std::string &text);

/// What --batch is asked to do. Fails (Usage) naming the option and what it takes.
Result<BatchOptions> batchOptionsOf(const CLI::App &app, const RawArguments &raw);

} // namespace graphloom
