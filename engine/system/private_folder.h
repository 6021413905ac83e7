// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace graphloom {

/// Creates the missing folders of a path, accessible to their owner only whatever the umask is:
/// others could put something into them that is read or run later. Existing folders stay as they
/// are.
std::error_code makePrivateFolders(const std::filesystem::path &folder);

} // namespace graphloom
