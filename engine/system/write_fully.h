// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace graphloom {

/// Writes all of the bytes to an open file, in as many calls as that takes. Returns false, with
/// errno set, if some cannot be written.
bool writeFully(int descriptor, std::string_view bytes);

/// Writes a file, and makes the folders that it is in. For folders that nobody else uses yet: a
/// file that is there is replaced in place. Fails (Missing) with the system's reason.
Result<void> writeFile(const std::filesystem::path &path, std::string_view content);

} // namespace graphloom
