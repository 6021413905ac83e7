// SPDX-License-Identifier: Apache-2.0
#include "engine/system/sqlite.h"

#include "tests/support/test_program.h"

#include <QTemporaryDir>
#include <QTest>
#include <thread>

namespace graphloom::test::sqlite_test {

class SqliteTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// Bytes that SQLite does not take are an error, not nothing.
    void whatIsTooLargeIsSaid()
    {
        const auto database = sqlite::Connection::open(":memory:");
        QVERIFY(database);
        QVERIFY((*database)->execute("CREATE TABLE a(bytes BLOB)"));
        auto add = (*database)->prepare("INSERT INTO a VALUES(?)");
        QVERIFY(add);
        // It is not read: SQLite refuses it by its size.
        const char byte = 0;
        const auto added = add->bindBytes(1, {&byte, std::size_t(1) << 31}).step();
        QVERIFY(!added);
        QCOMPARE(added.error().kind, Error::Kind::Missing);
        QVERIFY(added.error().text().find("10^9") != std::string::npos);
        // The statement can be used again.
        QVERIFY(add->bindBytes(1, {&byte, 1}).step());
        QCOMPARE((*database)->integer("SELECT count(*) FROM a").value_or(-1), std::int64_t{1});
    }

    void whatIsReadIsNotWritten()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("a.db").toStdString();
        QVERIFY((*sqlite::Connection::open(file))->execute("CREATE TABLE a(b)"));
        const auto database = sqlite::Connection::openToRead(file);
        QVERIFY(database);
        QCOMPARE((*database)->integer("SELECT count(*) FROM a").value_or(-1), std::int64_t{0});
        QVERIFY(!(*database)->execute("INSERT INTO a VALUES(1)"));
        QVERIFY(!sqlite::Connection::openToRead(file + ".other"));
    }
    /// Nobody waits for a lock any more who was stopped; without the stop this takes ten seconds.
    void aStopEndsWaitingForOthers()
    {
        const QTemporaryDir folder;
        const std::string file = folder.filePath("a.db").toStdString();
        const auto other = sqlite::Connection::open(file);
        QVERIFY(other && (*other)->execute("CREATE TABLE a(b)"));
        const auto writing = sqlite::Transaction::begin(**other);
        QVERIFY(writing);
        std::stop_source stop;
        const auto database = sqlite::Connection::open(file, stop.get_token());
        QVERIFY(database);
        std::jthread stopper([&] { stop.request_stop(); });
        const auto refused = (*database)->execute("INSERT INTO a VALUES(1)");
        QVERIFY(!refused);
        QVERIFY2(refused.error().message.starts_with("cancelled while another process"),
                 refused.error().message.c_str());
    }
};

GRAPHLOOM_TESTS(SqliteTest)

} // namespace graphloom::test::sqlite_test

#include "sqlite_test.moc"
