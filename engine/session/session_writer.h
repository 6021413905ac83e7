// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/archive/plan_store.h"
#include "engine/session/session_content.h"
#include "engine/system/sqlite.h"

namespace graphloom {

/// Writes a session to a database, adding only new content each time.
class SessionWriter {
public:
    explicit SessionWriter(const sqlite::Connection &database);

    Result<void> write(const SessionContent &content);
    /// Writes the hashes of the files that plans need, and, if they are to be embedded, the files
    /// themselves. Paths are relative to `folder`.
    Result<void> writeFiles(const std::filesystem::path &folder, bool embed);

private:
    /// Tells which rows of a table were written, by their content.
    template <class Content> struct Rows {
        std::string table;
        std::map<std::shared_ptr<const Content>, std::int64_t> numbers = {};
        std::int64_t last = 0;
    };
    std::int64_t numberOf(const std::shared_ptr<const Plan> &plan);
    Result<void> writeStates(const SessionContent &content);
    Result<void> writeRuns(const SessionContent &content);
    template <class Content>
    Result<void> writeRows(Rows<Content> &rows,
                           const std::vector<std::shared_ptr<const Content>> &content);
    Result<void> writeMeasurements(const SessionContent &content);
    Result<void> writeVerifications(const SessionContent &content);
    Result<void> writeTrials(const SessionContent &content);
    Result<void> writeView(const SessionContent &content);
    Result<void> embedFile(std::string_view path, std::string_view content);

    const sqlite::Connection &m_database;
    std::optional<sqlite::Statement> m_keep;
    std::optional<Error> m_problem; // in storing an object
    PlanStore m_store;
    std::map<std::shared_ptr<const Plan>, std::int64_t> m_plans;
    Rows<PlanMeasurement> m_measurements{"measurement"};
    Rows<VerifiedPlan> m_verifications{"verification"};
    std::shared_ptr<const TuningTrials> m_trials; // written last
};

} // namespace graphloom
