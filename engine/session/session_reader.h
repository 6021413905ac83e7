// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_store.h"
#include "engine/session/session_content.h"
#include "engine/system/sqlite.h"

namespace graphloom {

/// Reads a session from a database; `open` opens the files of the model. Measurements, trials
/// and verifications that cannot be used are left out and reported in the content. Fails as
/// loadSession() does.
Result<SessionContent>
readSession(const sqlite::Connection &database,
            std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open);

} // namespace graphloom
