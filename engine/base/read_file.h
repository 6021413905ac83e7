// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

namespace graphloom {

/// All bytes of a regular file: of a pipe or a device there might be no end. Fails (Missing) when
/// it cannot be read, (Model) when it has more than `most` bytes.
Result<std::string> readFile(const std::filesystem::path &path,
                             std::uintmax_t most = std::numeric_limits<std::uintmax_t>::max());

} // namespace graphloom
