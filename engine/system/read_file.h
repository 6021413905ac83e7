// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <stop_token>
#include <string>

namespace graphloom {

/// Returns all bytes of a regular file; a pipe or a device is refused, since it may have no end.
/// Fails (Missing) if the file cannot be read, (Model) if it has more than `most` bytes.
Result<std::string> readFile(const std::filesystem::path &path,
                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

/// Does the same, but also reads a pipe or a device to its end, such as a shell's <(...). Waiting
/// for the bytes ends (Stopped) when a stop is requested.
Result<std::string> readFileOrStream(const std::filesystem::path &path, std::stop_token stop,
                                     std::uintmax_t most = std::uintmax_t{1} << 30);

} // namespace graphloom
