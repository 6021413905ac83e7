// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>

namespace graphloom {

/// Makes a folder that nobody but this user may use (0700), with those above it that are not there
/// yet, or looks at the one that is there. Fails (Missing) where it cannot be made or written, or
/// where another user could put something into it: what is in it is loaded and run.
Result<void> makeOwnFolder(const std::filesystem::path &folder);

/// Where kernels are kept when nobody names another folder: graphloom/kernels below XDG_CACHE_HOME,
/// or below ~/.cache when that is empty or relative (XDG Base Directory Specification). Fails
/// (Missing) when there is no home folder either.
Result<std::filesystem::path> defaultKernelFolder(const std::string &xdgCacheHome,
                                                  const std::string &home);

} // namespace graphloom
