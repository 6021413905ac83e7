// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_store.h"
#include "engine/session/session_content.h"
#include "engine/system/sqlite.h"

namespace graphloom {

/// The tables of a session in a new, empty database.
Result<void> makeSessionTables(const sqlite::Connection &database);

/// Refuses (Usage) a database that is no session, or one of a later version, (Model) one with other
/// tables, or with views and triggers, and one whose pages are broken.
Result<void> checkSessionTables(const sqlite::Connection &database);

/// Keeps a session in a database, adding what is new each time.
class SessionWriter {
public:
    explicit SessionWriter(const sqlite::Connection &database);

    Result<void> write(const SessionContent &content);
    /// Notes hashes of the files that plans need, and the files themselves if they are to be in the
    /// database, relative to a folder.
    Result<void> writeFiles(const std::filesystem::path &folder, bool embed);

private:
    std::int64_t numberOf(const std::shared_ptr<const Plan> &plan);
    Result<void> writeStates(const SessionContent &content);
    Result<void> writeRuns(const SessionContent &content);
    Result<void> writeView(const SessionContent &content);
    Result<void> embedFile(std::string_view path, std::string_view content);

    const sqlite::Connection &m_database;
    std::optional<sqlite::Statement> m_keep;
    std::optional<Error> m_problem; // of keeping an object
    PlanStore m_store;
    std::map<std::shared_ptr<const Plan>, std::int64_t> m_plans;
};

/// Reads a session from a database; `open` gives the files of the model.
Result<SessionContent>
readSession(const sqlite::Connection &database,
            std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open);

} // namespace graphloom
