// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/schema.h"

#include "engine/system/sqlite_schema.h"

#include <array>

namespace graphloom {

namespace {

/// The application id in SQLite's file header, by which programs recognize their files: "GLpr".
constexpr std::int64_t applicationId = 0x474c7072;

constexpr std::array steps = {
    // A kernel is looked up by its hash and identified by the other columns. Measurements are kept
    // individually, so that merging is a union and importing a file twice adds nothing.
    "CREATE TABLE kernel("
    "  id INTEGER PRIMARY KEY, hash INTEGER NOT NULL,"
    "  structure TEXT NOT NULL, shapes TEXT NOT NULL, device TEXT NOT NULL, schedule TEXT NOT "
    "NULL);"
    "CREATE INDEX kernel_by_hash ON kernel(hash);"
    "CREATE TABLE measurement("
    "  kernel INTEGER NOT NULL REFERENCES kernel(id), provenance TEXT NOT NULL,"
    "  measured_at_ms INTEGER NOT NULL, version TEXT NOT NULL,"
    "  min_ns REAL NOT NULL, median_ns REAL NOT NULL, count INTEGER NOT NULL,"
    "  PRIMARY KEY(kernel, provenance, measured_at_ms, version, min_ns, median_ns, count)"
    ") WITHOUT ROWID;",
    // What measurements have decided, for people who ask what they are good for.
    "CREATE TABLE used("
    "  device TEXT NOT NULL, pass TEXT NOT NULL, model TEXT NOT NULL,"
    "  decisions INTEGER NOT NULL, used_at_ms INTEGER NOT NULL,"
    "  PRIMARY KEY(device, pass, model)"
    ") WITHOUT ROWID;",
    // What whole plans took on devices, in the order in which they were measured.
    "CREATE TABLE run("
    "  id INTEGER PRIMARY KEY, device TEXT NOT NULL, machine TEXT NOT NULL, model TEXT NOT NULL,"
    "  plan TEXT NOT NULL, threads INTEGER NOT NULL, runs INTEGER NOT NULL,"
    "  min_ms REAL NOT NULL, median_ms REAL NOT NULL, p95_ms REAL NOT NULL,"
    "  bracket INTEGER NOT NULL, provenance TEXT NOT NULL, megahertz REAL NOT NULL,"
    "  celsius REAL NOT NULL, measured_at_ms INTEGER NOT NULL, version TEXT NOT NULL);",
    "ALTER TABLE run ADD COLUMN joules REAL NOT NULL DEFAULT 0;",
};

Result<void> refuse(const sqlite::Connection &database, std::string reason)
{
    return fail(Error::Kind::Usage,
                reason + "; it is left unchanged: move it away, or choose another file",
                database.file());
}

} // namespace

std::span<const char *const> profileSchema()
{
    return steps;
}

Result<void> checkSize(const std::filesystem::path &file)
{
    constexpr std::uintmax_t smallestPage = 512;
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    if (failed || size == 0 || size >= smallestPage)
        return {}; // opening it reports the problem, if there is one
    return fail(Error::Kind::Usage,
                "is not a profile database; it is left unchanged: choose another file",
                file.string());
}

Result<void> bringUpToDate(const sqlite::Connection &database, std::span<const char *const> schema)
{
    // From here to commit() no other process creates or migrates the same file.
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(database));
    GL_TRY_CONST(application, database.integer("PRAGMA application_id"));
    GL_TRY_CONST(version, database.integer("PRAGMA user_version"));
    GL_TRY_CONST(tables, database.integer("SELECT count(*) FROM sqlite_schema"));
    const bool isEmpty = *application == 0 && *version == 0 && *tables == 0;
    if (!isEmpty && *application != applicationId)
        return refuse(database, "is a database of another program");
    if (*version < 0 || *version > std::int64_t(schema.size()))
        return refuse(database,
                      "was written by a later version of Graphloom (its schema version is " +
                          std::to_string(*version) + ", this program supports " +
                          std::to_string(schema.size()) + ")");
    // Checked before any query of the tables, which may be views of a crafted file.
    const auto make = [&](const sqlite::Connection &empty) -> Result<void> {
        for (const char *step : schema.first(std::size_t(*version)))
            GL_TRY(empty.execute(step));
        return {};
    };
    GL_TRY(sqlite::checkSchema(database, make));
    GL_TRY(sqlite::checkPages(database));
    if (*version == std::int64_t(schema.size()) && !isEmpty)
        return {};
    for (const char *step : schema.subspan(std::size_t(*version)))
        GL_TRY(database.execute(step));
    GL_TRY(database.execute("PRAGMA application_id = " + std::to_string(applicationId) +
                            "; PRAGMA user_version = " + std::to_string(schema.size())));
    return transaction->commit();
}

} // namespace graphloom
