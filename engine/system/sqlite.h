// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

struct sqlite3;
struct sqlite3_stmt;

/// SQLite with owners for what its C interface hands out. Errors name the database's file: of
/// kind Usage when it is no database or a broken one, Missing when it cannot be opened, written or
/// is kept locked by another process.
namespace graphloom::sqlite {

/// How long another process that writes is waited for.
inline constexpr std::chrono::seconds usualPatience{10};

class Connection;

/// A prepared statement. Parameters count from 1, columns from 0, as in SQLite.
class Statement {
public:
    Statement &bind(int parameter, std::int64_t value);
    Statement &bind(int parameter, double value);
    /// The text must outlive the next reset().
    Statement &bind(int parameter, std::string_view value);
    /// The bytes must outlive the next reset(), too.
    Statement &bindBytes(int parameter, std::string_view bytes);
    Statement &bindNothing(int parameter);

    /// Whether there is a row; after the last one, and after an error, the statement is reset.
    /// Fails also when a parameter could not be bound, as one of more than 10^9 bytes.
    Result<bool> step();
    void reset();

    std::int64_t integer(int column) const;
    double real(int column) const;
    std::string text(int column) const;
    std::string bytes(int column) const;
    bool isNothing(int column) const;

private:
    friend class Connection;
    Statement &noteBinding(int code);
    struct Finalize {
        void operator()(sqlite3_stmt *statement) const;
    };
    Statement(const Connection &connection, sqlite3_stmt *statement)
        : m_connection(&connection), m_statement(statement)
    {
    }

    const Connection *m_connection;
    std::unique_ptr<sqlite3_stmt, Finalize> m_statement;
    bool m_isBound = true; // false: a parameter could not be bound
};

/// An open database; statements refer to it, so it stays where it is.
class Connection {
public:
    /// ":memory:" is a database of its own in memory. A stop ends waiting for other processes, now
    /// and later; what can be done without waiting still is.
    static Result<std::unique_ptr<Connection>> open(const std::string &file,
                                                    std::stop_token stop = {});
    /// One that may come from anybody, to be read: nothing is written, and it is distrusted.
    static Result<std::unique_ptr<Connection>> openToRead(const std::string &file,
                                                          std::stop_token stop = {});

    /// For files that may come from anybody: views and triggers are not carried out, pages are
    /// checked as they are read, statements are limited in size and nesting, and all of them
    /// together may take only as many steps as the file's size explains. Then, and when stopped,
    /// they fail (Model). What the schema says of tables still has to be looked at
    /// (sqlite_schema.h).
    Result<void> distrust(std::stop_token stop = {});
    /// It was looked at and is as we make them: as many steps as it takes.
    void liftStepLimit();

    Result<Statement> prepare(std::string_view sql) const;
    /// Runs statements that give no rows, or whose rows do not matter.
    Result<void> execute(const std::string &sql) const;
    /// The one integer, or text, that a query gives.
    Result<std::int64_t> integer(std::string_view query) const;
    Result<std::string> text(std::string_view query) const;
    std::int64_t lastRow() const;
    /// Rows that the last INSERT, UPDATE or DELETE changed.
    std::int64_t changes() const;

    const std::string &file() const { return m_file; }
    /// Did the last call fail because another process holds a lock?
    bool isBusy() const;
    /// How long to wait for another process that writes; usualPatience unless it is said.
    void setPatience(std::chrono::milliseconds patience) { m_waiting->patience = patience; }
    /// Has it been stopped?
    bool isStopped() const { return m_waiting->stop.stop_requested(); }
    /// What the last call failed with.
    tl::unexpected<Error> error() const;

private:
    static Result<std::unique_ptr<Connection>> open(const std::string &file, int flags,
                                                    std::stop_token stop);
    /// For whom SQLite asks whether to try once more.
    struct Waiting {
        std::stop_token stop;
        std::chrono::milliseconds patience = usualPatience;
        std::chrono::steady_clock::time_point begin = {};
    };
    static int waits(void *waiting, int count);
    struct Close {
        void operator()(sqlite3 *handle) const;
    };
    struct Limit; // of steps
    struct DeleteLimit {
        void operator()(Limit *limit) const;
    };
    std::string m_file;
    std::unique_ptr<Limit, DeleteLimit> m_limit; // before the handle, which refers to it
    std::unique_ptr<Waiting> m_waiting;          // for longer than the handle
    std::unique_ptr<sqlite3, Close> m_handle;
};

/// Everything until commit(), or nothing.
class Transaction {
public:
    /// Takes the right to write at once, so that what is read in it stays true until it ends.
    static Result<Transaction> begin(const Connection &connection);
    Transaction(Transaction &&other) noexcept
        : m_connection(std::exchange(other.m_connection, nullptr))
    {
    }
    Transaction &operator=(Transaction &&) = delete;
    ~Transaction();
    Result<void> commit();

private:
    explicit Transaction(const Connection &connection) : m_connection(&connection) {}
    const Connection *m_connection; // null once it has ended
};

} // namespace graphloom::sqlite
