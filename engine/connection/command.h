// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/connection/connection.h"

#include <string_view>

namespace graphloom {

/// Seconds that copying a file to or from a device may take.
inline constexpr double transferPatience = 3600;

/// Runs a program of this machine to its end. `input` is what it reads. Fails (Missing) if it
/// cannot be started, (Fault) if it takes longer than `seconds`, after which it is ended, and
/// (Stopped).
Result<CommandResult> runCommand(const std::vector<std::string> &command, std::stop_token stop,
                                 double seconds, std::string_view input = {});

/// Runs such a program whose standard input and output are files (ChildProcess::startWithFiles());
/// the lines are what it wrote to its standard error.
Result<CommandResult> runWithFiles(const std::vector<std::string> &command,
                                   const std::filesystem::path &input,
                                   const std::filesystem::path &output, std::stop_token stop,
                                   double seconds);

/// Returns the last lines of an answer, for messages; at most 20.
std::string lastLines(const CommandResult &result);
/// Returns the error (Missing) of a device that does not answer, with what a client says of it.
Error silence(const CommandResult &result, std::string where);

} // namespace graphloom
