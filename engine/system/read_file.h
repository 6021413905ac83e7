// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <stop_token>
#include <string>

namespace graphloom {

/// All bytes of a regular file: of a pipe or a device there might be no end. Fails (Missing) when
/// it cannot be read, (Model) when it has more than `most` bytes.
Result<std::string> readFile(const std::filesystem::path &path,
                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

/// The same, or all bytes that come out of a pipe or a device, as of a shell's <(...). Waiting for
/// them ends (Stopped) when a stop is asked for.
Result<std::string> readFileOrStream(const std::filesystem::path &path, std::stop_token stop,
                                     std::uintmax_t most = std::uintmax_t{1} << 30);

} // namespace graphloom
