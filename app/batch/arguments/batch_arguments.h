// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/batch/arguments/command_line.h"
#include "app/batch/arguments/raw_arguments.h"

namespace graphloom {

/// Returns the path, or nothing if the text is empty.
std::optional<std::filesystem::path> optionalPath(const std::string &text);

/// Returns the options of --batch. Fails (Usage) with the option and the values that it accepts.
Result<BatchOptions> batchOptionsOf(const CLI::App &app, const RawArguments &raw);

} // namespace graphloom
