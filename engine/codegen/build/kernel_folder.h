// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// Creates a folder that only this user may use (0700), with missing parents, or checks the one
/// that is there. Fails (Missing) if it cannot be created or written, or if another user could put
/// something into it: its content is loaded and run.
Result<void> makeOwnFolder(const std::filesystem::path &folder);

/// Returns the folder for kernels when no other is named: graphloom/kernels below XDG_CACHE_HOME,
/// or below ~/.cache if that is empty or relative (XDG Base Directory Specification). Fails
/// (Missing) if there is no home folder either.
Result<std::filesystem::path> defaultKernelFolder(const std::string &xdgCacheHome,
                                                  const std::string &home);

} // namespace graphloom
