// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_reader.h"

#include "engine/session/session_objects.h"
#include "engine/session/session_tables.h"

namespace graphloom {

namespace {

class SessionReader {
public:
    SessionReader(
        const sqlite::Connection &database, std::int64_t version, sqlite::Statement find,
        std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open)
        : m_database(database), m_version(version), m_find(std::move(find)),
          m_store({{}, [this](std::uint64_t number) { return fetch(number); }, std::move(open)})
    {
    }

    Result<SessionContent> read()
    {
        SessionContent content;
        GL_TRY_RESULT(
            states, m_database.prepare("SELECT plan, text, by_hand FROM state ORDER BY position"));
        for (;;) {
            GL_TRY_CONST(row, states->step());
            if (!*row)
                break;
            SessionState state{nullptr, states->text(1), states->integer(2) != 0};
            GL_TRY_RESULT(plan, planOf(states->integer(0)));
            if (!*plan)
                return fail(Error::Kind::Model,
                            "is a damaged session: its state " +
                                std::to_string(content.states.size()) + " has no plan",
                            m_database.file());
            state.plan = *std::move(plan);
            content.states.push_back(std::move(state));
        }
        GL_TRY_CONST(current, m_database.text("SELECT value FROM fact WHERE name = 'current'"));
        content.current = std::size_t(std::strtoull(current->c_str(), nullptr, 10));
        if (content.current >= content.states.size())
            return fail(Error::Kind::Usage, "is a damaged session: it has no plan",
                        m_database.file());
        GL_TRY(readRuns(content));
        GL_TRY(readView(content));
        if (m_version >= 2) {
            GL_TRY(readMeasurements(content));
            GL_TRY(readTrials(content));
        }
        if (m_version >= 3)
            GL_TRY(readVerifications(content));
        return content;
    }

private:
    Result<std::string> fetch(std::uint64_t number)
    {
        GL_TRY_CONST(row, m_find.bind(1, std::int64_t(number)).step());
        if (!*row)
            return fail(Error::Kind::Usage, "is a damaged session: an object is missing",
                        m_database.file());
        std::string bytes = m_find.bytes(0);
        m_find.reset();
        return bytes;
    }

    Result<std::shared_ptr<const Plan>> planOf(std::int64_t number)
    {
        if (number < 0)
            return nullptr;
        if (const auto known = m_plans.find(number); known != m_plans.end())
            return known->second;
        GL_TRY_RESULT(plan, m_store.get(std::uint64_t(number)));
        return m_plans.emplace(number, std::make_shared<const Plan>(*std::move(plan)))
            .first->second;
    }

    Result<void> readRuns(SessionContent &content)
    {
        GL_TRY_RESULT(runs, m_database.prepare("SELECT bytes FROM run ORDER BY number"));
        for (;;) {
            GL_TRY_CONST(row, runs->step());
            if (!*row)
                return {};
            auto kept = m_store.unpack<KeptRun>(runs->bytes(0));
            if (!kept)
                return fail(Error::Kind::Usage, "is a damaged session: a run cannot be read",
                            m_database.file());
            GL_TRY_RESULT(before, planOf(kept->before));
            GL_TRY_RESULT(result, planOf(kept->result));
            if (!*before)
                return fail(Error::Kind::Model, "is a damaged session: a run has no initial plan",
                            m_database.file());
            kept->run.before = *std::move(before);
            kept->run.result = *std::move(result);
            content.runs.push_back(std::move(kept->run));
        }
    }

    Result<void> readView(SessionContent &content)
    {
        GL_TRY_RESULT(view, m_database.prepare("SELECT name, value FROM view"));
        for (;;) {
            GL_TRY_CONST(row, view->step());
            if (!*row)
                return {};
            content.view.emplace(view->text(0), view->text(1));
        }
    }

    /// Reads what was found out about a plan, or returns why it cannot be used.
    template <class Content>
    Result<std::shared_ptr<const Content>> contentOf(std::string_view bytes,
                                                     Result<void> (*check)(const Content &))
    {
        auto kept = m_store.unpack<Kept<Content>>(bytes);
        if (!kept)
            return fail(Error::Kind::Model, "its bytes are damaged");
        GL_TRY_RESULT(plan, planOf(kept->plan));
        kept->content.plan = *std::move(plan);
        GL_TRY(check(kept->content));
        return std::make_shared<const Content>(std::move(kept->content));
    }

    /// Reads the rows of a table. Leaves out what cannot be used: the rest of the work does not
    /// need it. `leaveOut` receives the number of a row, from 1 on, and the reason.
    template <class Content>
    Result<void>
    readRows(const std::string &table, Result<void> (*check)(const Content &),
             std::vector<std::shared_ptr<const Content>> &into,
             const std::function<void(const std::string &, const std::string &)> &leaveOut)
    {
        GL_TRY_RESULT(rows, m_database.prepare("SELECT bytes FROM " + table + " ORDER BY number"));
        for (int number = 1;; ++number) {
            GL_TRY_CONST(row, rows->step());
            if (!*row)
                return {};
            if (auto read = contentOf(rows->bytes(0), check))
                into.push_back(*std::move(read));
            else
                leaveOut(std::to_string(number), read.error().text());
        }
    }

    Result<void> readMeasurements(SessionContent &content)
    {
        return readRows("measurement", checkMeasurement, content.measurements,
                        [&](const std::string &number, const std::string &why) {
                            content.problems.push_back("the kernel times of measurement " + number +
                                                       " were left out (" + why +
                                                       "); measure the plan again");
                        });
    }

    Result<void> readVerifications(SessionContent &content)
    {
        return readRows("verification", checkVerification, content.verifications,
                        [&](const std::string &number, const std::string &why) {
                            content.problems.push_back("the errors of verification " + number +
                                                       " were left out (" + why +
                                                       "); verify the plan again");
                        });
    }

    Result<void> readTrials(SessionContent &content)
    {
        std::vector<std::shared_ptr<const TuningTrials>> trials;
        GL_TRY(readRows(
            "trials", checkTrials, trials, [&](const std::string &, const std::string &why) {
                content.problems.push_back("the trials of tuning were left out (" + why +
                                           "); the tuned schedules are part of the plan");
            }));
        if (!trials.empty())
            content.trials = std::move(trials.back());
        return {};
    }

    const sqlite::Connection &m_database;
    const std::int64_t m_version;
    sqlite::Statement m_find;
    PlanStore m_store;
    std::map<std::int64_t, std::shared_ptr<const Plan>> m_plans;
};

} // namespace

Result<SessionContent>
readSession(const sqlite::Connection &database,
            std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open)
{
    GL_TRY_CONST(version, checkSessionTables(database));
    GL_TRY_RESULT(find, database.prepare("SELECT bytes FROM object WHERE number = ?"));
    return SessionReader(database, *version, *std::move(find), std::move(open)).read();
}

} // namespace graphloom
