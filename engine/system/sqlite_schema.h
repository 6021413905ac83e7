// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/system/sqlite.h"

#include <functional>

namespace graphloom::sqlite {

/// Refuses (Model) a database whose schema is another than the one that `make` gives an empty
/// database: views, triggers, computed columns and further tables of somebody else's making would
/// be carried out by what reads ours. Statistics that SQLite itself keeps may be there.
Result<void> checkSchema(const Connection &database,
                         const std::function<Result<void>(const Connection &)> &make);

/// Refuses (Model) a database whose pages do not belong together. Large ones are not looked
/// through: SQLite goes down one level of its own stack with each page of a malicious tree.
Result<void> checkPages(const Connection &database);

} // namespace graphloom::sqlite
