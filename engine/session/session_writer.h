// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_store.h"
#include "engine/session/session_content.h"
#include "engine/system/sqlite.h"

namespace graphloom {

/// Creates the tables of a session in a new, empty database.
Result<void> makeSessionTables(const sqlite::Connection &database);

/// Checks that a database is a session. Fails (Usage) if it is no session, or one of a later
/// version; (Model) if it has other tables, views or triggers, or if its pages are damaged.
Result<void> checkSessionTables(const sqlite::Connection &database);

/// Writes a session to a database, adding only new content each time.
class SessionWriter {
public:
    explicit SessionWriter(const sqlite::Connection &database);

    Result<void> write(const SessionContent &content);
    /// Writes the hashes of the files that plans need, and, if they are to be embedded, the files
    /// themselves. Paths are relative to `folder`.
    Result<void> writeFiles(const std::filesystem::path &folder, bool embed);

private:
    std::int64_t numberOf(const std::shared_ptr<const Plan> &plan);
    Result<void> writeStates(const SessionContent &content);
    Result<void> writeRuns(const SessionContent &content);
    Result<void> writeView(const SessionContent &content);
    Result<void> embedFile(std::string_view path, std::string_view content);

    const sqlite::Connection &m_database;
    std::optional<sqlite::Statement> m_keep;
    std::optional<Error> m_problem; // in storing an object
    PlanStore m_store;
    std::map<std::shared_ptr<const Plan>, std::int64_t> m_plans;
};

/// Reads a session from a database; `open` opens the files of the model.
Result<SessionContent>
readSession(const sqlite::Connection &database,
            std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open);

} // namespace graphloom
