// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/sqlite.h"

#include <functional>

namespace graphloom::sqlite {

/// Refuses (Model) a database whose schema differs from the one that `make` gives an empty
/// database: views, triggers, computed columns and further tables of foreign origin would be
/// executed by the statements that read our tables. Statistics that SQLite itself keeps are
/// permitted.
Result<void> checkSchema(const Connection &database,
                         const std::function<Result<void>(const Connection &)> &make);

/// Refuses (Model) a database whose pages are inconsistent. Large databases are not checked: SQLite
/// recurses one level on its own stack with each page of a malicious tree.
Result<void> checkPages(const Connection &database);

} // namespace graphloom::sqlite
