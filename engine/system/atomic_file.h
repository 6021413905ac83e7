// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <functional>
#include <ostream>
#include <string_view>

namespace graphloom {

/// Tells what to do if the file to be written is a symbolic link: replace the file that it points
/// to, or the link itself. A path that the user named is followed; one that we made up must not
/// lead elsewhere.
enum class Links { Follow, Replace };

/// Writes a file so that readers see either the old content or the whole new one, never a part: the
/// writer fills a temporary file in the same folder, which is synced and renamed. Fails (Missing)
/// if the folder cannot be written; the old file then stays as it was. A device or pipe
/// (stream_path.h) is written to and never replaced. Leftovers of earlier writers that were killed
/// are removed from the folder (temporary.h).
Result<void> writeFileAtomically(const std::filesystem::path &path,
                                 const std::function<bool(std::ostream &)> &write,
                                 Links links = Links::Follow);
Result<void> writeFileAtomically(const std::filesystem::path &path, std::string_view content);
/// Does the same for content that can only be written by file name: `fill` gets the name of the
/// temporary file. Fails (Usage) for a device or pipe.
Result<void>
fillFileAtomically(const std::filesystem::path &path,
                   const std::function<Result<void>(const std::filesystem::path &temporary)> &fill,
                   Links links = Links::Follow);

} // namespace graphloom
