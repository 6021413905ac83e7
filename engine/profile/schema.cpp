// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/schema.h"

#include "engine/system/sqlite_schema.h"

#include <array>
#include <fstream>

namespace graphloom {

namespace {

/// SQLite keeps these 32 bits in the file's header for programs to know their files by: "GLpr".
constexpr std::int64_t applicationId = 0x474c7072;

constexpr std::array steps = {
    // A kernel is looked up by its hash, and told apart by all the rest. Its measurements are
    // kept one by one: merging is then a union, and importing a file twice counts nothing twice.
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
};

Result<void> refuse(const sqlite::Connection &database, std::string reason)
{
    return fail(Error::Kind::Usage,
                reason + "; it is left as it is: move it away, or name another file",
                database.file());
}

} // namespace

std::span<const char *const> profileSchema()
{
    return steps;
}

Result<void> checkHeader(const std::filesystem::path &file)
{
    constexpr std::string_view magic("SQLite format 3\0", 16);
    constexpr std::uintmax_t smallestPage = 512;
    std::error_code failed;
    const auto size = std::filesystem::file_size(file, failed);
    if (failed || size == 0)
        return {}; // opening it tells what is the matter, if anything is
    std::array<char, magic.size()> start{};
    std::ifstream(file, std::ios::binary).read(start.data(), start.size());
    if (size < smallestPage || std::string_view(start.data(), start.size()) != magic)
        return fail(Error::Kind::Usage,
                    "is no profile database; it is left as it is: name another file",
                    file.string());
    return {};
}

Result<void> bringUpToDate(const sqlite::Connection &database, std::span<const char *const> schema)
{
    // From here to commit() no other process creates or migrates the same file.
    GL_TRY_RESULT(transaction, sqlite::Transaction::begin(database));
    const auto application = database.integer("PRAGMA application_id");
    const auto version = database.integer("PRAGMA user_version");
    const auto tables = database.integer("SELECT count(*) FROM sqlite_schema");
    for (const auto *read : {&application, &version, &tables})
        if (!*read)
            return tl::unexpected(read->error());
    const bool isEmpty = *application == 0 && *version == 0 && *tables == 0;
    if (!isEmpty && *application != applicationId)
        return refuse(database, "is a database of another program");
    if (*version < 0 || *version > std::int64_t(schema.size()))
        return refuse(database, "was written by a later version of graphloom (its form is " +
                                    std::to_string(*version) + ", this program knows " +
                                    std::to_string(schema.size()) + ")");
    // Before anything is asked of its tables, which may be somebody else's views.
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
