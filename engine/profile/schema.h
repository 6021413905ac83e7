// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/sqlite.h"

#include <filesystem>
#include <span>

namespace graphloom {

/// The form of the profile database: statement i brings it from version i to version i + 1, from
/// an empty file on. Statements are only ever added, so that databases of older versions open.
std::span<const char *const> profileSchema();

/// Refuses (Usage) a file that is there, is not empty and is no SQLite database. SQLite itself
/// takes a short file of any content for an empty database, and would write over it.
Result<void> checkHeader(const std::filesystem::path &file);

/// Makes an empty database a profile database, or brings one of an older version up to date, in
/// one transaction. Refuses (Usage) what belongs to another program, is damaged, or was written by
/// a later version; it is then left as it is.
Result<void> bringUpToDate(const sqlite::Connection &database, std::span<const char *const> steps);

} // namespace graphloom
