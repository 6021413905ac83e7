// SPDX-License-Identifier: Apache-2.0
#include "engine/session/session_tables.h"

#include "engine/system/sqlite_schema.h"

namespace graphloom {

namespace {

/// The application id in SQLite's file header, by which programs recognize their files: "GLse".
constexpr std::int64_t applicationId = 0x474c7365;

} // namespace

Result<void> makeSessionTables(const sqlite::Connection &database, std::int64_t version)
{
    GL_TRY(database.execute(
        "PRAGMA application_id = " + std::to_string(applicationId) +
        ";"
        "PRAGMA user_version = " +
        std::to_string(version) +
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
        "CREATE TABLE view(name TEXT PRIMARY KEY, value TEXT NOT NULL);"));
    if (version >= 2)
        GL_TRY(database.execute(
            // Plans that were measured, the newest last.
            "CREATE TABLE measurement(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"
            // The trials of the last tuning.
            "CREATE TABLE trials(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"));
    if (version >= 3)
        GL_TRY(database.execute(
            // Plans that were verified, the newest last.
            "CREATE TABLE verification(number INTEGER PRIMARY KEY, bytes BLOB NOT NULL);"));
    return {};
}

Result<std::int64_t> checkSessionTables(const sqlite::Connection &database)
{
    GL_TRY_CONST(id, database.integer("PRAGMA application_id"));
    if (*id != applicationId)
        return fail(Error::Kind::Usage, "is not a Graphloom session", database.file());
    GL_TRY_CONST(version, database.integer("PRAGMA user_version"));
    if (*version > sessionVersion)
        return fail(Error::Kind::Usage,
                    "was saved by a later version of Graphloom; open it with that version",
                    database.file());
    GL_TRY(sqlite::checkSchema(database, [&](const sqlite::Connection &made) {
        return makeSessionTables(made, std::max(*version, firstSessionVersion));
    }));
    GL_TRY(sqlite::checkPages(database));
    return *version;
}

} // namespace graphloom
