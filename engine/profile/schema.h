// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/sqlite.h"

#include <filesystem>
#include <span>

namespace graphloom {

/// Returns the schema of the profile database as migrations: statement i brings it from version i
/// to version i + 1, starting from an empty file. Statements are only ever added, so that databases
/// of older versions open.
std::span<const char *const> profileSchema();

/// Refuses (Usage) an existing file that is shorter than any database but not empty: SQLite takes it
/// for an empty database, whatever it holds, and would overwrite it. The file is not opened: closing
/// it would release the locks of all connections that this process has to it.
Result<void> checkSize(const std::filesystem::path &file);

/// Turns an empty database into a profile database, or brings one of an older version up to date,
/// in one transaction. Refuses (Usage) a file that belongs to another program, is damaged, or was
/// written by a later version, and leaves it as it is.
Result<void> bringUpToDate(const sqlite::Connection &database, std::span<const char *const> steps);

} // namespace graphloom
