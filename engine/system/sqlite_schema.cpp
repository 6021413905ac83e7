// SPDX-License-Identifier: Apache-2.0
#include "engine/system/sqlite_schema.h"

#include <map>

namespace graphloom::sqlite {

namespace {

constexpr std::int64_t mostPagesToCheck = 20'000;
constexpr std::size_t mostEntries = 1000; // more than any of our schemas has

struct Entry {
    std::string type, table, sql;
    bool operator==(const Entry &) const = default;
};
using Schema = std::map<std::string, Entry>; // by name

tl::unexpected<Error> refuse(const Connection &database, const std::string &why)
{
    return fail(Error::Kind::Model,
                why + ": it is damaged, or another program has changed it; it is left unchanged",
                database.file());
}

Result<Schema> schemaOf(const Connection &database)
{
    auto rows = database.prepare("SELECT name, type, tbl_name, sql FROM sqlite_schema");
    if (!rows)
        return refuse(database, "has a schema that cannot be read (" + rows.error().message + ")");
    Schema schema;
    for (;;) {
        GL_TRY_CONST(row, rows->step());
        if (!*row || schema.size() == mostEntries)
            return schema;
        const std::string name = rows->text(0);
        // A trigger may have the same name as a table, which would hide it in the map.
        if (!name.starts_with("sqlite_stat") &&
            !schema.emplace(name, Entry{rows->text(1), rows->text(2), rows->text(3)}).second)
            return refuse(database, "has duplicate entries \"" + name + "\"");
    }
}

} // namespace

Result<void> checkSchema(const Connection &database,
                         const std::function<Result<void>(const Connection &)> &make)
{
    GL_TRY_CONST(made, Connection::open(":memory:"));
    GL_TRY(make(**made));
    GL_TRY_CONST(expected, schemaOf(**made));
    GL_TRY_CONST(actual, schemaOf(database));
    for (const auto &[name, entry] : *actual)
        if (!expected->contains(name))
            return refuse(database, "has an unexpected " + entry.type + " \"" + name + "\"");
    for (const auto &[name, entry] : *expected) {
        const auto found = actual->find(name);
        if (found == actual->end())
            return refuse(database, "has no " + entry.type + " \"" + name + "\"");
        if (found->second != entry)
            return refuse(database, "has an unexpected definition of the " + entry.type + " \"" +
                                        name + "\"");
    }
    return {};
}

Result<void> checkPages(const Connection &database)
{
    GL_TRY_CONST(pages, database.integer("PRAGMA page_count"));
    if (*pages > mostPagesToCheck)
        return {};
    GL_TRY_CONST(sound, database.text("PRAGMA quick_check(1)"));
    if (*sound != "ok")
        return refuse(database, "has damaged pages (" + *sound + ")");
    return {};
}

} // namespace graphloom::sqlite
