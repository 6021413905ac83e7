// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

namespace graphloom {

/// Where a symbolic link stands in the place of a file that is to be written: whether the file
/// is replaced that the link points to, or the link itself. A path that somebody named is
/// followed; one that we made up must not lead elsewhere.
enum class Links { Follow, Replace };

/// Writes a file so that readers see the old content or the whole new one, never a part:
/// the writer fills a temporary file in the same folder, which is synced and renamed.
/// Fails (Missing) when the folder cannot be written; the old file then stays as it was. A device
/// or pipe (stream_path.h) is written to and never replaced. What earlier writers that were killed
/// have left in the folder is removed (temporary.h).
Result<void> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<bool(std::ostream &)> &write,
                                 Links links = Links::Follow);
Result<void> writeFileAtomically(const std::filesystem::path &path, std::string_view content);
/// The same for what can be written by its name only: `fill` gets the temporary file's. Fails
/// (Usage) for a device or pipe.
Result<void>
fillFileAtomically(const std::filesystem::path &path,
                   const std::function<Result<void>(const std::filesystem::path &temporary)> &fill,
                   Links links = Links::Follow);

} // namespace graphloom
