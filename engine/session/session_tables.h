// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/sqlite.h"

namespace graphloom {

/// The versions of the tables: 1 had neither measurements nor trials, 2 had no verifications.
inline constexpr std::int64_t sessionVersion = 3, firstSessionVersion = 1;

/// Creates the tables of a session in a new, empty database.
Result<void> makeSessionTables(const sqlite::Connection &database,
                               std::int64_t version = sessionVersion);

/// Checks that a database is a session and returns its version. Fails (Usage) if it is no session,
/// or one of a later version; (Model) if it has other tables, views or triggers, or if its pages
/// are damaged.
Result<std::int64_t> checkSessionTables(const sqlite::Connection &database);

} // namespace graphloom
