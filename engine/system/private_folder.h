// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <system_error>

namespace graphloom {

/// Makes the folders of a path that are missing, for their owner alone whatever the umask is:
/// others could put something into them that is read or run later. Those that are there stay as
/// they are.
std::error_code makePrivateFolders(const std::filesystem::path &folder);

} // namespace graphloom
