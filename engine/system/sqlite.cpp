// SPDX-License-Identifier: Apache-2.0
#include "engine/system/sqlite.h"

#include <array>
#include <filesystem>
#include <sqlite3.h>
#include <thread>

namespace graphloom::sqlite {

namespace {

constexpr std::chrono::milliseconds pauseWhileBusy{5};

/// Virtual machine steps between two checks whether a statement may continue.
constexpr int stepsBetweenLooks = 100'000;

/// Reading all rows of a file takes fewer steps than this per byte.
constexpr std::uint64_t leastSteps = 20'000'000, stepsPerByte = 100;

} // namespace

void Statement::Finalize::operator()(sqlite3_stmt *statement) const
{
    sqlite3_finalize(statement);
}

void Statement::reset()
{
    sqlite3_reset(m_statement.get());
    m_isBound = true;
}

Statement &Statement::bind(int parameter, std::int64_t value)
{
    return noteBinding(sqlite3_bind_int64(m_statement.get(), parameter, value));
}

Statement &Statement::bind(int parameter, double value)
{
    return noteBinding(sqlite3_bind_double(m_statement.get(), parameter, value));
}

Statement &Statement::bind(int parameter, std::string_view value)
{
    return noteBinding(sqlite3_bind_text64(m_statement.get(), parameter, value.data(), value.size(),
                                           SQLITE_STATIC, SQLITE_UTF8));
}

Statement &Statement::bindBytes(int parameter, std::string_view bytes)
{
    return noteBinding(sqlite3_bind_blob64(m_statement.get(), parameter, bytes.data(), bytes.size(),
                                           SQLITE_STATIC));
}

Statement &Statement::bindNothing(int parameter)
{
    return noteBinding(sqlite3_bind_null(m_statement.get(), parameter));
}

Statement &Statement::noteBinding(int code)
{
    m_isBound = m_isBound && code == SQLITE_OK;
    return *this;
}

Result<bool> Statement::step()
{
    if (!m_isBound) {
        auto error = m_connection->error();
        reset();
        return error;
    }
    const int code = sqlite3_step(m_statement.get());
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE) {
        reset();
        return false;
    }
    auto error = m_connection->error();
    reset();
    return error;
}

std::int64_t Statement::integer(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

double Statement::real(int column) const
{
    return sqlite3_column_double(m_statement.get(), column);
}

std::string Statement::text(int column) const
{
    const auto *bytes = sqlite3_column_text(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return bytes ? std::string(reinterpret_cast<const char *>(bytes), std::size_t(size))
                 : std::string();
}

std::string Statement::bytes(int column) const
{
    const auto *bytes = static_cast<const char *>(sqlite3_column_blob(m_statement.get(), column));
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return bytes ? std::string(bytes, std::size_t(size)) : std::string();
}

bool Statement::isNothing(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

void Connection::Close::operator()(sqlite3 *handle) const
{
    sqlite3_close_v2(handle);
}

/// Waits in short pauses, as writers are many and quick: the pauses of SQLite's own busy handler
/// grow, so that one process may wait for all that come later.
int Connection::waits(void *waiting, int count)
{
    auto &by = *static_cast<Waiting *>(waiting);
    const auto now = std::chrono::steady_clock::now();
    if (count == 0)
        by.begin = now;
    if (by.stop.stop_requested() || now - by.begin >= by.patience)
        return 0;
    std::this_thread::sleep_for(pauseWhileBusy);
    return 1;
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string &file, std::stop_token stop)
{
    return open(file, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, std::move(stop));
}

struct Connection::Limit {
    std::stop_token stop;
    std::uint64_t steps = 0;
};

void Connection::DeleteLimit::operator()(Limit *limit) const
{
    delete limit;
}

Result<std::unique_ptr<Connection>> Connection::openToRead(const std::string &file,
                                                           std::stop_token stop)
{
    auto connection =
        open(file, SQLITE_OPEN_READWRITE, stop); // a journal is read with its write-ahead log
    if (!connection)
        return connection;
    GL_TRY((*connection)->distrust(std::move(stop)));
    GL_TRY((*connection)->execute("PRAGMA query_only = ON"));
    return connection;
}

Result<void> Connection::distrust(std::stop_token stop)
{
    sqlite3 *handle = m_handle.get();
    for (const int setting : {SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW,
                              SQLITE_DBCONFIG_TRUSTED_SCHEMA})
        sqlite3_db_config(handle, setting, 0, nullptr);
    constexpr std::array<std::pair<int, int>, 5> limits{{{SQLITE_LIMIT_SQL_LENGTH, 100'000},
                                                         {SQLITE_LIMIT_EXPR_DEPTH, 100},
                                                         {SQLITE_LIMIT_COMPOUND_SELECT, 10},
                                                         {SQLITE_LIMIT_VDBE_OP, 25'000},
                                                         {SQLITE_LIMIT_ATTACHED, 0}}};
    for (const auto &[limit, value] : limits)
        sqlite3_limit(handle, limit, value);
    std::error_code none; // a database in memory has no size
    const auto bytes = std::filesystem::file_size(m_file, none);
    m_limit.reset(new Limit{std::move(stop), leastSteps + (none ? 0 : stepsPerByte * bytes)});
    sqlite3_progress_handler(
        handle, stepsBetweenLooks,
        [](void *of) {
            Limit &limit = *static_cast<Limit *>(of);
            limit.steps -= std::min<std::uint64_t>(limit.steps, stepsBetweenLooks);
            return int(limit.steps == 0 || limit.stop.stop_requested());
        },
        m_limit.get());
    return execute("PRAGMA cell_size_check = ON");
}

void Connection::liftStepLimit()
{
    sqlite3_progress_handler(m_handle.get(), 0, nullptr, nullptr);
}

Result<std::unique_ptr<Connection>> Connection::open(const std::string &file, int flags,
                                                     std::stop_token stop)
{
    auto connection = std::make_unique<Connection>();
    connection->m_file = file;
    connection->m_waiting = std::make_unique<Waiting>();
    connection->m_waiting->stop = std::move(stop);
    sqlite3 *handle = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags, nullptr);
    connection->m_handle.reset(handle); // is set even if opening failed
    if (!handle)
        return fail(Error::Kind::Missing, "not enough memory to open it", file);
    sqlite3_extended_result_codes(handle, 1);
    if (code != SQLITE_OK)
        return connection->error();
    sqlite3_busy_handler(handle, waits, connection->m_waiting.get());
    return connection;
}

Result<Statement> Connection::prepare(std::string_view sql) const
{
    sqlite3_stmt *statement = nullptr;
    if (sqlite3_prepare_v2(m_handle.get(), sql.data(), int(sql.size()), &statement, nullptr) !=
        SQLITE_OK)
        return error();
    return Statement(*this, statement);
}

Result<void> Connection::execute(const std::string &sql) const
{
    if (sqlite3_exec(m_handle.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
        return error();
    return {};
}

Result<std::int64_t> Connection::integer(std::string_view query) const
{
    GL_TRY_RESULT(statement, prepare(query));
    GL_TRY_CONST(row, statement->step());
    return *row ? statement->integer(0) : 0;
}

Result<std::string> Connection::text(std::string_view query) const
{
    GL_TRY_RESULT(statement, prepare(query));
    GL_TRY_CONST(row, statement->step());
    return *row ? statement->text(0) : std::string();
}

std::int64_t Connection::lastRow() const
{
    return sqlite3_last_insert_rowid(m_handle.get());
}

std::int64_t Connection::changes() const
{
    return sqlite3_changes64(m_handle.get());
}

bool Connection::isBusy() const
{
    return (sqlite3_errcode(m_handle.get()) & 0xff) == SQLITE_BUSY; // ignores the extended code
}

tl::unexpected<Error> Connection::error() const
{
    const int code = sqlite3_errcode(m_handle.get()) & 0xff;
    const std::string reason = sqlite3_errmsg(m_handle.get());
    switch (code) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return fail(Error::Kind::Usage,
                    "is not a database, or is damaged (" + reason +
                        "); it is left unchanged: move it away, or choose another file",
                    m_file);
    case SQLITE_INTERRUPT:
        return fail(Error::Kind::Model,
                    m_limit && m_limit->stop.stop_requested()
                        ? "cancelled before it was read"
                        : "takes too many steps to read for its size: it is damaged, or crafted to "
                          "block its reader",
                    m_file);
    case SQLITE_TOOBIG:
        return fail(Error::Kind::Missing,
                    "cannot store a value of more than 10^9 bytes, the limit of SQLite", m_file);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        if (isStopped())
            return fail(Error::Kind::Missing, "cancelled while another process writes to it",
                        m_file);
        return fail(Error::Kind::Missing,
                    "is locked by another process (" + reason + "); try again", m_file);
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_IOERR:
    case SQLITE_FULL:
    case SQLITE_NOMEM:
        return fail(Error::Kind::Missing, "cannot be opened or written: " + reason, m_file);
    default:
        // With a file of unknown origin, this is most likely damage.
        return fail(m_limit ? Error::Kind::Model : Error::Kind::Fault,
                    "the database rejects a statement: " + reason, m_file);
    }
}

Result<Transaction> Transaction::begin(const Connection &connection)
{
    GL_TRY(connection.execute("BEGIN IMMEDIATE"));
    return Transaction(connection);
}

Transaction::~Transaction()
{
    if (m_connection)
        static_cast<void>(m_connection->execute("ROLLBACK"));
}

Result<void> Transaction::commit()
{
    auto done = m_connection->execute("COMMIT");
    if (done)
        m_connection = nullptr;
    return done;
}

} // namespace graphloom::sqlite
