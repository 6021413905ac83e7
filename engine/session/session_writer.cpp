// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_writer.h"

#include "engine/archive/plan_fields.h"
#include "engine/base/hash.h"
#include "engine/system/sqlite_schema.h"

namespace graphloom {

namespace {

/// In the file's header, for programs to know their files by: "GLse".
constexpr std::int64_t applicationId = 0x474c7365;
constexpr std::int64_t sessionVersion = 1;

/// Files of models are kept in parts: one of SQLite's values has at most 10^9 bytes.
constexpr std::size_t bytesOfPart = std::size_t(64) << 20;

/// A run as it is kept: plans are rows of their own.
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
        // What plans are made of, and plans; see PlanStore.
        "CREATE TABLE object(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        // The undo stack.
        "CREATE TABLE state(position INTEGER PRIMARY KEY, plan INTEGER NOT NULL,"
        "  text TEXT NOT NULL, by_hand INTEGER NOT NULL);"
        "CREATE TABLE run(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
        // Of the model: where they were, and perhaps what is in them.
        "CREATE TABLE file(path TEXT PRIMARY KEY, relative TEXT NOT NULL, bytes INTEGER NOT NULL,"
        "  hash INTEGER NOT NULL, embedded INTEGER NOT NULL);"
        "CREATE TABLE file_part(path TEXT, position INTEGER, bytes BLOB NOT NULL,"
        "  PRIMARY KEY(path, position)) WITHOUT ROWID;"
        "CREATE TABLE fact(name TEXT PRIMARY KEY, value TEXT NOT NULL);"
        "CREATE TABLE view(name TEXT PRIMARY KEY, value TEXT NOT NULL);");
}

Result<void> checkSessionTables(const sqlite::Connection &database)
{
    const auto id = database.integer("PRAGMA application_id");
    if (!id)
        return tl::unexpected(id.error());
    if (*id != applicationId)
        return fail(Error::Kind::Usage, "is no session of Graphloom", database.file());
    const auto version = database.integer("PRAGMA user_version");
    if (!version)
        return tl::unexpected(version.error());
    if (*version > sessionVersion)
        return fail(Error::Kind::Usage,
                    "was saved by a later version of Graphloom, which can open it",
                    database.file());
    if (auto checked = sqlite::checkSchema(database, makeSessionTables); !checked)
        return checked;
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
    auto transaction = sqlite::Transaction::begin(m_database);
    if (!transaction)
        return tl::unexpected(transaction.error());
    if (!m_keep) {
        auto keep = m_database.prepare("INSERT INTO object(number, bytes) VALUES(?, ?)");
        if (!keep)
            return tl::unexpected(keep.error());
        m_keep = *std::move(keep);
    }
    for (const auto step :
         {&SessionWriter::writeStates, &SessionWriter::writeRuns, &SessionWriter::writeView})
        if (auto written = (this->*step)(content); !written)
            return written;
    if (m_problem)
        return tl::unexpected(*m_problem);
    return transaction->commit();
}

Result<void> SessionWriter::writeStates(const SessionContent &content)
{
    if (auto cleared = m_database.execute("DELETE FROM state"); !cleared)
        return cleared;
    auto add = m_database.prepare("INSERT INTO state VALUES(?, ?, ?, ?)");
    if (!add)
        return tl::unexpected(add.error());
    for (std::size_t i = 0; i < content.states.size(); ++i) {
        const SessionState &state = content.states[i];
        const std::int64_t number = numberOf(state.plan);
        auto added = add->bind(1, std::int64_t(i))
                         .bind(2, number)
                         .bind(3, std::string_view(state.text))
                         .bind(4, std::int64_t(state.byHand))
                         .step();
        if (!added)
            return tl::unexpected(added.error());
    }
    return m_database.execute("INSERT OR REPLACE INTO fact VALUES('current', '" +
                              std::to_string(content.current) + "')");
}

Result<void> SessionWriter::writeRuns(const SessionContent &content)
{
    if (auto cleared = m_database.execute("DELETE FROM run"); !cleared)
        return cleared;
    auto add = m_database.prepare("INSERT INTO run VALUES(?, ?)");
    if (!add)
        return tl::unexpected(add.error());
    for (const SessionRun &run : content.runs) {
        KeptRun kept{run, numberOf(run.before), numberOf(run.result)};
        const std::string bytes = m_store.pack(kept);
        auto added = add->bind(1, std::int64_t(run.number)).bindBytes(2, bytes).step();
        if (!added)
            return tl::unexpected(added.error());
    }
    return {};
}

Result<void> SessionWriter::writeView(const SessionContent &content)
{
    if (auto cleared = m_database.execute("DELETE FROM view"); !cleared)
        return cleared;
    auto add = m_database.prepare("INSERT INTO view VALUES(?, ?)");
    if (!add)
        return tl::unexpected(add.error());
    for (const auto &[name, value] : content.view)
        if (auto added =
                add->bind(1, std::string_view(name)).bind(2, std::string_view(value)).step();
            !added)
            return tl::unexpected(added.error());
    return {};
}

Result<void> SessionWriter::writeFiles(const std::filesystem::path &folder, bool embed)
{
    auto add = m_database.prepare("INSERT OR REPLACE INTO file VALUES(?, ?, ?, ?, ?)");
    if (!add)
        return tl::unexpected(add.error());
    for (const ArchivedFile &file : m_store.files()) {
        auto mapped = PlanStore::openUnchanged(file);
        if (!mapped)
            return tl::unexpected(mapped.error());
        const auto all = (*mapped)->bytes();
        const std::uint64_t hash = hashBytes(all);
        if ((*mapped)->shrunk())
            return fail(Error::Kind::Model, "cannot be read as a whole", file.path);
        const std::string relative =
            std::filesystem::path(file.path).lexically_relative(folder).string();
        auto added = add->bind(1, std::string_view(file.path))
                         .bind(2, std::string_view(relative))
                         .bind(3, std::int64_t(file.bytes))
                         .bind(4, std::int64_t(hash))
                         .bind(5, std::int64_t(embed))
                         .step();
        if (!added)
            return tl::unexpected(added.error());
        if (embed)
            if (auto embedded =
                    embedFile(file.path, {reinterpret_cast<const char *>(all.data()), all.size()});
                !embedded)
                return embedded;
    }
    return {};
}

Result<void> SessionWriter::embedFile(std::string_view path, std::string_view content)
{
    auto add = m_database.prepare("INSERT OR REPLACE INTO file_part VALUES(?, ?, ?)");
    if (!add)
        return tl::unexpected(add.error());
    for (std::size_t begin = 0; begin < content.size(); begin += bytesOfPart) {
        auto added = add->bind(1, path)
                         .bind(2, std::int64_t(begin))
                         .bindBytes(3, content.substr(begin, bytesOfPart))
                         .step();
        if (!added)
            return tl::unexpected(added.error());
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
        auto states = m_database.prepare("SELECT plan, text, by_hand FROM state ORDER BY position");
        if (!states)
            return tl::unexpected(states.error());
        for (auto row = states->step();; row = states->step()) {
            if (!row)
                return tl::unexpected(row.error());
            if (!*row)
                break;
            SessionState state{nullptr, states->text(1), states->integer(2) != 0};
            auto plan = planOf(states->integer(0));
            if (!plan)
                return tl::unexpected(plan.error());
            if (!*plan)
                return fail(Error::Kind::Model,
                            "is a damaged session: its state " +
                                std::to_string(content.states.size()) + " has no plan",
                            m_database.file());
            state.plan = *std::move(plan);
            content.states.push_back(std::move(state));
        }
        const auto current = m_database.text("SELECT value FROM fact WHERE name = 'current'");
        if (!current)
            return tl::unexpected(current.error());
        content.current = std::size_t(std::strtoull(current->c_str(), nullptr, 10));
        if (content.current >= content.states.size())
            return fail(Error::Kind::Usage, "is a damaged session: it has no plan",
                        m_database.file());
        if (auto runs = readRuns(content); !runs)
            return tl::unexpected(runs.error());
        if (auto view = readView(content); !view)
            return tl::unexpected(view.error());
        return content;
    }

private:
    Result<std::string> fetch(std::uint64_t number)
    {
        const auto row = m_find.bind(1, std::int64_t(number)).step();
        if (!row)
            return tl::unexpected(row.error());
        if (!*row)
            return fail(Error::Kind::Usage, "is a damaged session: a part is missing",
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
        auto plan = m_store.get(std::uint64_t(number));
        if (!plan)
            return tl::unexpected(plan.error());
        return m_plans.emplace(number, std::make_shared<const Plan>(*std::move(plan)))
            .first->second;
    }

    Result<void> readRuns(SessionContent &content)
    {
        auto runs = m_database.prepare("SELECT bytes FROM run ORDER BY number");
        if (!runs)
            return tl::unexpected(runs.error());
        for (auto row = runs->step();; row = runs->step()) {
            if (!row)
                return tl::unexpected(row.error());
            if (!*row)
                return {};
            auto kept = m_store.unpack<KeptRun>(runs->bytes(0));
            if (!kept)
                return fail(Error::Kind::Usage, "is a damaged session: a run cannot be read",
                            m_database.file());
            auto before = planOf(kept->before), result = planOf(kept->result);
            if (!before)
                return tl::unexpected(before.error());
            if (!result)
                return tl::unexpected(result.error());
            if (!*before)
                return fail(Error::Kind::Model,
                            "is a damaged session: a run has no plan that it began with",
                            m_database.file());
            kept->run.before = *std::move(before);
            kept->run.result = *std::move(result);
            content.runs.push_back(std::move(kept->run));
        }
    }

    Result<void> readView(SessionContent &content)
    {
        auto view = m_database.prepare("SELECT name, value FROM view");
        if (!view)
            return tl::unexpected(view.error());
        for (auto row = view->step();; row = view->step()) {
            if (!row)
                return tl::unexpected(row.error());
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
    if (auto checked = checkSessionTables(database); !checked)
        return tl::unexpected(checked.error());
    auto find = database.prepare("SELECT bytes FROM object WHERE number = ?");
    if (!find)
        return tl::unexpected(find.error());
    return SessionReader(database, *std::move(find), std::move(open)).read();
}

} // namespace graphloom
