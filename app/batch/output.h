// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace graphloom {

/// Whether what is written to the path goes to a device or a pipe, such as /dev/stdout, which no
/// file can take the place of.
bool isStream(const std::filesystem::path &path);

/// Writes a file as a whole or not at all (atomic_file.h); to a stream what it takes. Fails
/// (Missing) saying why, such as that the disk is full.
Result<void> writeOutput(const std::filesystem::path &path, std::string_view content);

} // namespace graphloom
