// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <cstdint>
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

/// Tells whether a file belongs to a kernel, by its name: its library, its source, the note that
/// it has run, or the one that names its library.
bool isKernelFile(const std::filesystem::path &file);

/// Holds what a folder of kernels takes.
struct KernelFolderUse {
    std::size_t kernels = 0; // libraries and object files
    std::uint64_t bytes = 0; // with their sources
};
/// Returns what the folder takes; nothing if there is no such folder.
KernelFolderUse useOf(const std::filesystem::path &folder);
/// Removes all kernels from the folder and returns what they took. Kernels that are running stay
/// usable; those that are compiled meanwhile stay in the folder. Fails (Missing) if the folder is
/// there but cannot be listed, and with the first file that cannot be removed.
Result<KernelFolderUse> clearKernels(const std::filesystem::path &folder);

} // namespace graphloom
