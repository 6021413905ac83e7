// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_writer.h"

#include "engine/archive/plan_fields.h"
#include "engine/base/hash.h"
#include "engine/system/sqlite_schema.h"

namespace graphloom {

namespace {

/// The application id in SQLite's file header, by which programs recognize their files: "GLse".
constexpr std::int64_t applicationId = 0x474c7365;
constexpr std::int64_t sessionVersion = 1;

/// Files of models are stored in parts, as a value in SQLite has at most 10^9 bytes.
constexpr std::size_t bytesOfPart = std::size_t(64) << 20;

/// Holds a run as it is stored; its plans are objects of their own.
struct KeptRun {
    SessionRun run;
    std::int64_t before = -1, result = -1;
};

template <class Archive> void fields(Archive &archive, KeptRun &kept)
{
    SessionRun &run = kept.run;
    archive(run.number, run.pass, run.settings, run.objective, run.seed, run.threads, run.beganMs,
            run.seconds, run.problem, run.stopped, run.search, kept.before, kept.result);
}

} // namespace

Result<void> makeSessionTables(const sqlite::Connection &database)
{
    return database.execute(
        "PRAGMA application_id = " + std::to_string(applicationId) +
        ";"
        "PRAGMA user_version = " +
        std::to_string(sessionVersion) +
        ";"
        // Plans and their parts; see PlanStore.
        "CREATE TABLE object(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        // The undo stack.
        "CREATE TABLE state(position INTEGER PRIMARY KEY, plan INTEGER NOT NULL,"
        "  text TEXT NOT NULL, by_hand INTEGER NOT NULL);"
        "CREATE TABLE run(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        // The files of the model: their paths and, if embedded, their content.
        "CREATE TABLE file(path TEXT PRIMARY KEY, relative TEXT NOT NULL, bytes INTEGER NOT NULL,"
        "  hash INTEGER NOT NULL, embedded INTEGER NOT NULL);"
        "CREATE TABLE file_part(path TEXT, position INTEGER, bytes BLOB NOT NULL,"
        "  PRIMARY KEY(path, position)) WITHOUT ROWID;"
        "CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE view(name TEXT PRIMARY KEY, value TEXT NOT NULL);");
}

Result<void> checkSessionTables(const sqlite::Connection &database)
{
    GL_TRY_CONST(id, database.integer("PRAGMA application_id"));
    if (*id != applicationId)
        return fail(Error::Kind::Usage, "is not a Graphloom session", database.file());
    GL_TRY_CONST(version, database.integer("PRAGMA user_version"));
    if (*version > sessionVersion)
        return fail(Error::Kind::Usage,
                    "was saved by a later version of Graphloom; open it with that version",
                    database.file());
    GL_TRY(sqlite::checkSchema(database, makeSessionTables));
    return sqlite::checkPages(database);
}

SessionWriter::SessionWriter(const sqlite::Connection &database)
    : m_database(database),
      m_store({[this](std::uint64_t number, std::string bytes) {
                   if (m_problem)
                       return;
                   auto kept = m_keep->bind(1, std::int64_t(number)).bindBytes(2, bytes).step();
                   if (!kept)
                       m_problem = kept.error();
               },
               {},
               {}})
{
}

std::int64_t SessionWriter::numberOf(const std::shared_ptr<const Plan> &plan)
{
    if (!plan)
        return -1;
    const auto known = m_plans.find(plan);
    return known != m_plans.end()
               ? known->second
               : m_plans.emplace(plan, std::int64_t(m_store.put(*plan))).first->second;
}

Result<void> SessionWriter::write(const SessionContent &content)
{
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(m_database));
    if (!m_keep) {
        GL_TRY_RESULT(keep, m_database.prepare("INSERT INTO object(number, bytes) VALUES(?, ?)"));
        m_keep = *std::move(keep);
    }
    for (const auto step :
         {&SessionWriter::writeStates, &SessionWriter::writeRuns, &SessionWriter::writeView})
        GL_TRY((this->*step)(content));
    if (m_problem)
        return tl::unexpected(*m_problem);
    return transaction->commit();
}

Result<void> SessionWriter::writeStates(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM state"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO state VALUES(?, ?, ?, ?)"));
    for (std::size_t i = 0; i < content.states.size(); ++i) {
        const SessionState &state = content.states[i];
        const std::int64_t number = numberOf(state.plan);
        GL_TRY_RESULT(added, add->bind(1, std::int64_t(i))
                                 .bind(2, number)
                                 .bind(3, std::string_view(state.text))
                                 .bind(4, std::int64_t(state.byHand))
                                 .step());
    }
    return m_database.execute("INSERT OR REPLACE INTO fact VALUES('current', '" +
                              std::to_string(content.current) + "')");
}

Result<void> SessionWriter::writeRuns(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM run"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO run VALUES(?, ?)"));
    for (const SessionRun &run : content.runs) {
        KeptRun kept{run, numberOf(run.before), numberOf(run.result)};
        const std::string bytes = m_store.pack(kept);
        GL_TRY_RESULT(added, add->bind(1, std::int64_t(run.number)).bindBytes(2, bytes).step());
    }
    return {};
}

Result<void> SessionWriter::writeView(const SessionContent &content)
{
    GL_TRY(m_database.execute("DELETE FROM view"));
    GL_TRY_RESULT(add, m_database.prepare("INSERT INTO view VALUES(?, ?)"));
    for (const auto &[name, value] : content.view)
        GL_TRY(add->bind(1, std::string_view(name)).bind(2, std::string_view(value)).step());
    return {};
}

Result<void> SessionWriter::writeFiles(const std::filesystem::path &folder, bool embed)
{
    GL_TRY_RESULT(add, m_database.prepare("INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?, ?)"));
    for (const ArchivedFile &file : m_store.files()) {
        GL_TRY_RESULT(mapped, PlanStore::openUnchanged(file));
        const auto all = (*mapped)->bytes();
        const std::uint64_t hash = hashBytes(all);
        if ((*mapped)->shrunk())
            return fail(Error::Kind::Model, "cannot be read completely", file.path);
        const std::string relative =
            std::filesystem::path(file.path).lexically_relative(folder).string();
        GL_TRY_RESULT(added, add->bind(1, std::string_view(file.path))
                                 .bind(2, std::string_view(relative))
                                 .bind(3, std::int64_t(file.bytes))
                                 .bind(4, std::int64_t(hash))
                                 .bind(5, std::int64_t(embed))
                                 .step());
        if (embed)
            GL_TRY(embedFile(file.path, {reinterpret_cast<const char *>(all.data()), all.size()}));
    }
    return {};
}

Result<void> SessionWriter::embedFile(std::string_view path, std::string_view content)
{
    GL_TRY_RESULT(add, m_database.prepare("INSERT OR REPLACE INTO file_part VALUES(?, ?, ?)"));
    for (std::size_t begin = 0; begin < content.size(); begin += bytesOfPart) {
        GL_TRY_RESULT(added, add->bind(1, path)
                                 .bind(2, std::int64_t(begin))
                                 .bindBytes(3, content.substr(begin, bytesOfPart))
                                 .step());
    }
    return {};
}

namespace {

class SessionReader {
public:
    SessionReader(
        const sqlite::Connection &database, sqlite::Statement find,
        std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open)
        : m_database(database), m_find(std::move(find)),
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

    const sqlite::Connection &m_database;
    sqlite::Statement m_find;
    PlanStore m_store;
    std::map<std::int64_t, std::shared_ptr<const Plan>> m_plans;
};

} // namespace

Result<SessionContent>
readSession(const sqlite::Connection &database,
            std::function<Result<std::shared_ptr<const MappedFile>>(const ArchivedFile &)> open)
{
    GL_TRY(checkSessionTables(database));
    GL_TRY_RESULT(find, database.prepare("SELECT bytes FROM object WHERE number = ?"));
    return SessionReader(database, *std::move(find), std::move(open)).read();
}

} // namespace graphloom
