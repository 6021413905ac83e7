// SPDX-License-Identifier: Apache-2.0
#include "engine/profile/schema.h"

#include "tests/support/test_program.h"

#include <QTest>

#include <array>

namespace graphloom::test::schema_test {

namespace {

constexpr std::array oldForm = {"CREATE TABLE kernel(name TEXT);"};
constexpr std::array newForm = {oldForm[0],
                                "ALTER TABLE kernel ADD COLUMN device TEXT DEFAULT 'cpu';"};

std::unique_ptr<sqlite::Connection> inMemory()
{
    return *sqlite::Connection::open(":memory:");
}

} // namespace

class SchemaTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void olderFormsAreBroughtUpToDate();
    void upToDateAlready();
    void laterFormsAreRefused();
    void otherProgramsAreRefused();
    void failedStepChangesNothing();
};

void SchemaTest::olderFormsAreBroughtUpToDate()
{
    const auto database = inMemory();
    QVERIFY(bringUpToDate(*database, oldForm));
    QVERIFY(database->execute("INSERT INTO kernel(name) VALUES('Relu')"));
    QVERIFY(bringUpToDate(*database, newForm));
    QCOMPARE(*database->text("SELECT name || device FROM kernel"), std::string("Relucpu"));
    QCOMPARE(*database->integer("PRAGMA user_version"), 2);
}

void SchemaTest::upToDateAlready()
{
    const auto database = inMemory();
    QVERIFY(bringUpToDate(*database, newForm));
    QVERIFY(bringUpToDate(*database, newForm)); // its steps would fail a second time
}

void SchemaTest::laterFormsAreRefused()
{
    const auto database = inMemory();
    QVERIFY(bringUpToDate(*database, newForm));
    const auto refused = bringUpToDate(*database, oldForm);
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("later version") != std::string::npos);
}

void SchemaTest::otherProgramsAreRefused()
{
    const auto database = inMemory();
    QVERIFY(database->execute("CREATE TABLE songs(title TEXT)"));
    const auto refused = bringUpToDate(*database, newForm);
    QVERIFY(!refused);
    QVERIFY(refused.error().text().find("another program") != std::string::npos);
    QCOMPARE(*database->integer("SELECT count(*) FROM sqlite_schema"), 1);
}

void SchemaTest::failedStepChangesNothing()
{
    const auto database = inMemory();
    QVERIFY(bringUpToDate(*database, oldForm));
    constexpr std::array broken = {newForm[0], newForm[1], "CREATE nonsense"};
    QVERIFY(!bringUpToDate(*database, broken));
    QCOMPARE(*database->integer("PRAGMA user_version"), 1);
    QVERIFY(database->execute("INSERT INTO kernel(name) VALUES('Relu')")); // no second column
    QCOMPARE(*database->integer("SELECT count(*) FROM pragma_table_info('kernel')"), 1);
}

GRAPHLOOM_TESTS(SchemaTest)

} // namespace graphloom::test::schema_test

#include "schema_test.moc"
