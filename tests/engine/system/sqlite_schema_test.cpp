// SPDX-License-Identifier: Apache-2.0
#include "engine/system/sqlite_schema.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>

namespace graphloom::test::sqlite_schema_test {

namespace {

constexpr const char *ours = "CREATE TABLE state(plan INTEGER NOT NULL, text TEXT);"
                             "CREATE INDEX by_plan ON state(plan);";
constexpr const char *endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n";

Result<void> makeOurs(const sqlite::Connection &database)
{
    return database.execute(ours);
}

} // namespace

/// Databases that come from anybody.
class SqliteSchemaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void ourOwnIsTaken();
    void foreignSchemasAreRefused_data();
    void foreignSchemasAreRefused();
    void whatTakesTooLongEnds();
    void aStopEndsIt();
    void viewsAreNotCarriedOut();
    void brokenPagesAreFound();
    void formsOfTheFutureAreNoFault();

private:
    void make(const std::string &sql) const
    {
        const auto database = sqlite::Connection::open(m_file);
        QVERIFY(database);
        const auto done = (*database)->execute(sql);
        QVERIFY2(done, done ? "" : done.error().text().c_str());
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_file;
};

void SqliteSchemaTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_file = m_folder->filePath("a.db").toStdString();
}

void SqliteSchemaTest::ourOwnIsTaken()
{
    make(ours);
    make("INSERT INTO state VALUES(1, 'a'); ANALYZE"); // SQLite's own statistics
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(database);
    const auto checked = sqlite::checkSchema(**database, makeOurs);
    QVERIFY2(checked, checked ? "" : checked.error().text().c_str());
    QVERIFY(sqlite::checkPages(**database));
}

void SqliteSchemaTest::foreignSchemasAreRefused_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<QString>("named");
    const auto row = [](const char *name, const std::string &sql, const char *named) {
        QTest::newRow(name) << QString::fromStdString(sql) << QString(named);
    };
    row("view", std::string(ours) + "CREATE VIEW more AS " + endless, "view \"more\"");
    row("trigger",
        std::string(ours) + "CREATE TRIGGER t AFTER INSERT ON state BEGIN DELETE FROM state; END",
        "trigger \"t\"");
    row("trigger with the name of a table",
        std::string(
            "CREATE TABLE first(x); CREATE TRIGGER state AFTER INSERT ON first BEGIN DELETE "
            "FROM first; END;") +
            ours,
        "duplicate entries \"state\"");
    row("another table", std::string(ours) + "CREATE TABLE more(x)", "table \"more\"");
    row("a view in its place",
        std::string("CREATE VIEW state(plan, text) AS SELECT 1, (") + endless + ")", "\"by_plan\"");
    row("computed column",
        "CREATE TABLE state(plan INTEGER NOT NULL, text TEXT AS (hex(zeroblob(1000000000))));"
        "CREATE INDEX by_plan ON state(plan);",
        "unexpected definition of the table \"state\"");
    row("without its index", "CREATE TABLE state(plan INTEGER NOT NULL, text TEXT)",
        "has no index");
    row("empty", "PRAGMA user_version = 1", "has no");
}

void SqliteSchemaTest::foreignSchemasAreRefused()
{
    QFETCH(QString, sql);
    QFETCH(QString, named);
    make(sql.toStdString());
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(database);
    const auto checked = sqlite::checkSchema(**database, makeOurs);
    QVERIFY(!checked);
    QCOMPARE(int(checked.error().kind), int(Error::Kind::Model));
    QVERIFY2(QString::fromStdString(checked.error().text()).contains(named),
             checked.error().text().c_str());
}

void SqliteSchemaTest::whatTakesTooLongEnds()
{
    make(ours);
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(database);
    const auto sum = (*database)->integer(endless);
    QVERIFY(!sum);
    QCOMPARE(int(sum.error().kind), int(Error::Kind::Model));
    QVERIFY2(sum.error().text().find("too many steps") != std::string::npos,
             sum.error().text().c_str());
}

void SqliteSchemaTest::aStopEndsIt()
{
    make(ours);
    std::stop_source source;
    source.request_stop();
    const auto database = sqlite::Connection::openToRead(m_file, source.get_token());
    QVERIFY(database);
    const auto sum = (*database)->integer(endless);
    QVERIFY(!sum);
    QVERIFY2(sum.error().text().find("cancelled") != std::string::npos, sum.error().text().c_str());
}

void SqliteSchemaTest::viewsAreNotCarriedOut()
{
    make(std::string(ours) + "CREATE VIEW more AS SELECT 1 AS one");
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(database);
    QVERIFY(!(*database)->integer("SELECT one FROM more"));
}

void SqliteSchemaTest::brokenPagesAreFound()
{
    make(ours);
    make("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
         "INSERT INTO state SELECT i, hex(randomblob(20)) FROM n");
    const auto size = std::filesystem::file_size(m_file);
    QVERIFY(size > 20 * 4096);
    std::fstream file(m_file, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(std::streamoff(size / 4096 / 2 * 4096));
    file << std::string(600, '\x5a');
    file.close();
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(database);
    const auto checked = sqlite::checkPages(**database);
    QVERIFY(!checked);
}

/// What SQLite refuses of a file from elsewhere is the file's fault, not the program's.
void SqliteSchemaTest::formsOfTheFutureAreNoFault()
{
    make(ours);
    constexpr std::streamoff formOfTheSchema = 47; // in SQLite's header; 4 is the newest
    std::fstream file(m_file, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(formOfTheSchema);
    file.put(9);
    file.close();
    const auto database = sqlite::Connection::openToRead(m_file);
    QVERIFY(!database || !(*database)->integer("SELECT count(*) FROM sqlite_schema"));
    const Error error = database ? (*database)->error().value() : database.error();
    QCOMPARE(int(error.kind), int(Error::Kind::Model));
}

GRAPHLOOM_TESTS(SqliteSchemaTest)

} // namespace graphloom::test::sqlite_schema_test

#include "sqlite_schema_test.moc"
