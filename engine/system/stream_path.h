// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace graphloom {

/// Tells whether the path leads to a device or a pipe, such as /dev/stdout, which cannot be
/// replaced by a file.
bool isStream(const std::filesystem::path &path);

/// Writes to a stream. Fails (Missing) with the reason, such as that nobody reads the pipe any
/// more.
Result<void> writeToStream(const std::filesystem::path &path, std::string_view content);

} // namespace graphloom
