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

/// Wraps SQLite with owners for what its C interface hands out. Errors name the file of the
/// database: of kind Usage if it is no database or a broken one, Missing if it cannot be opened or
/// written or is kept locked by another process.
namespace graphloom::sqlite {

/// Default time to wait for another process that writes.
inline constexpr std::chrono::seconds usualPatience{10};

class Connection;

/// Represents a prepared statement. Parameters count from 1, columns from 0, as in SQLite.
class Statement {
public:
    Statement &bind(int parameter, std::int64_t value);
    Statement &bind(int parameter, double value);
    /// Binds a text, which must outlive the next reset().
    Statement &bind(int parameter, std::string_view value);
    /// Binds bytes, which must outlive the next reset().
    Statement &bindBytes(int parameter, std::string_view bytes);
    Statement &bindNothing(int parameter);

    /// Returns whether there is a row; after the last one, and after an error, the statement is
    /// reset. Also fails if a parameter could not be bound, such as one of more than 10^9 bytes.
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

/// Represents an open database. Statements refer to it, so it cannot be moved.
class Connection {
public:
    /// Opens a database; ":memory:" is a new one in memory. A stop request ends waiting for other
    /// processes, now and later; whatever can be done without waiting still is.
    static Result<std::unique_ptr<Connection>> open(const std::string &file,
                                                    std::stop_token stop = {});
    /// Opens a database that may come from anybody, for reading: nothing is written, and it is
    /// distrusted.
    static Result<std::unique_ptr<Connection>> openToRead(const std::string &file,
                                                          std::stop_token stop = {});

    /// Guards against files that may come from anybody: views and triggers are not executed, pages
    /// are checked as they are read, statements are limited in size and nesting, and all of them
    /// together may take only as many steps as the size of the file justifies. Beyond that limit,
    /// and when stopped, they fail (Model). What the schema says of tables still has to be checked
    /// (sqlite_schema.h).
    Result<void> distrust(std::stop_token stop = {});
    /// Removes the limit on steps, after the content was checked and found to be as we make it.
    void liftStepLimit();

    Result<Statement> prepare(std::string_view sql) const;
    /// Runs statements whose rows, if any, do not matter.
    Result<void> execute(const std::string &sql) const;
    /// Returns the single integer, or text, that a query yields.
    Result<std::int64_t> integer(std::string_view query) const;
    Result<std::string> text(std::string_view query) const;
    std::int64_t lastRow() const;
    /// Returns the number of rows that the last INSERT, UPDATE or DELETE changed.
    std::int64_t changes() const;

    const std::string &file() const { return m_file; }
    /// Tells whether the last call failed because another process holds a lock.
    bool isBusy() const;
    /// Sets how long to wait for another process that writes; the default is usualPatience.
    void setPatience(std::chrono::milliseconds patience) { m_waiting->patience = patience; }
    /// Tells whether a stop has been requested.
    bool isStopped() const { return m_waiting->stop.stop_requested(); }
    /// Returns the error of the last call.
    tl::unexpected<Error> error() const;

private:
    static Result<std::unique_ptr<Connection>> open(const std::string &file, int flags,
                                                    std::stop_token stop);
    /// State for the callback by which SQLite asks whether to retry.
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
    std::unique_ptr<Limit, DeleteLimit> m_limit; // declared before the handle, which refers to it
    std::unique_ptr<Waiting> m_waiting;          // must outlive the handle
    std::unique_ptr<sqlite3, Close> m_handle;
};

/// Makes all changes until commit(), or none of them.
class Transaction {
public:
    /// Acquires the write lock at once, so that what is read during the transaction stays true
    /// until it ends.
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
