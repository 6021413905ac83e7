// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace graphloom {

/// Whether what is written to the path goes to a device or a pipe, such as /dev/stdout, which no
/// file can take the place of.
bool isStream(const std::filesystem::path &path);

/// Writes to a stream. Fails (Missing) saying why, such as that nobody reads the pipe any more.
Result<void> writeToStream(const std::filesystem::path &path, std::string_view content);

} // namespace graphloom
