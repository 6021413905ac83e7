// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/batch/profile.h"

#include "app/batch/batch.h"
#include "engine/profile/profile_database.h"
#include "engine/system/sqlite.h"
#include "tests/support/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sstream>

namespace graphloom::test::profile_test {

namespace fs = std::filesystem;
using Action = ProfileOptions::Action;

class ProfileTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void info();
    void exportThenImport();
    void refusedLinesFail();
    void infoOfNoDatabase();
    void foreignDatabase();
    void changedSchemas_data();
    void changedSchemas();
    void nothingReachesTheTerminalAsIs();

private:
    struct Outcome {
        int code;
        QString out, err;
    };
    Outcome profile(Action action, std::vector<fs::path> files, const fs::path &database) const
    {
        std::ostringstream out, err;
        const int code = runProfile({action, std::move(files), database}, out, err);
        return {code, QString::fromStdString(out.str()), QString::fromStdString(err.str())};
    }
    fs::path file(const char *name) const { return m_folder->filePath(name).toStdString(); }

    std::unique_ptr<QTemporaryDir> m_folder;
};

/// ours.db holds a kernel with figures of two provenances.
void ProfileTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    auto database = ProfileDatabase::open(file("ours.db"));
    QVERIFY(database.has_value());
    const ProfileKey key{"t0! = Relu@14(x0)\n", "float[8] -> float[8]", "cpu", {}};
    QVERIFY(database->record(key, {10, 12, 30, Provenance::Host, 1, "1.0"}));
    QVERIFY(database->record(key, {8, 8, 1, Provenance::Modelled, 1, "1.0"}));
}

void ProfileTest::info()
{
    const Outcome outcome = profile(Action::Info, {}, file("ours.db"));
    QCOMPARE(outcome.code, exitDone);
    QVERIFY2(outcome.out.contains("1 kernel\n") &&
                 outcome.out.contains("cpu, host: 30 samples of 1 kernel\n") &&
                 outcome.out.contains("cpu, modelled: 1 samples of 1 kernel\n"),
             qPrintable(outcome.out));
}

void ProfileTest::exportThenImport()
{
    QCOMPARE(profile(Action::Export, {file("all.jsonl")}, file("ours.db")).code, exitDone);
    const Outcome outcome =
        profile(Action::Import, {file("all.jsonl"), file("all.jsonl")}, file("theirs.db"));
    QCOMPARE(outcome.code, exitDone);
    QVERIFY2(outcome.out.contains("1 for new kernels, 1 for known kernels, 0 already known") &&
                 outcome.out.contains("0 for new kernels, 0 for known kernels, 2 already known"),
             qPrintable(outcome.out));
    QVERIFY(fs::exists(file("theirs.db")));
}

void ProfileTest::refusedLinesFail()
{
    QCOMPARE(profile(Action::Export, {file("all.jsonl")}, file("ours.db")).code, exitDone);
    std::ofstream(file("all.jsonl"), std::ios::app) << "{}\n";
    const Outcome outcome = profile(Action::Import, {file("all.jsonl")}, file("theirs.db"));
    QCOMPARE(outcome.code, exitFailed);
    QVERIFY2(outcome.err.contains("line 4"), qPrintable(outcome.err));
}

void ProfileTest::infoOfNoDatabase()
{
    const Outcome outcome = profile(Action::Info, {}, file("none.db"));
    QCOMPARE(outcome.code, exitCodeOf(Error::Kind::Missing));
    QVERIFY(outcome.err.contains("none.db"));
    QVERIFY(!fs::exists(file("none.db")));
}

void ProfileTest::foreignDatabase()
{
    std::ofstream(file("notes.db")) << "notes";
    const Outcome outcome = profile(Action::Info, {}, file("notes.db"));
    QCOMPARE(outcome.code, exitCodeOf(Error::Kind::Usage));
    QVERIFY(outcome.err.contains("notes.db"));
}

void ProfileTest::changedSchemas_data()
{
    QTest::addColumn<QString>("sql");
    QTest::newRow("endless view")
        << "ALTER TABLE measurement RENAME TO kept;"
           "CREATE VIEW measurement(kernel, provenance, measured_at_ms, version, min_ns, "
           "median_ns, count) AS WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
           "SELECT 1, 'host', i, '1', 1, 1, 1 FROM n";
    QTest::newRow("endless trigger")
        << "CREATE TRIGGER t AFTER INSERT ON kernel BEGIN SELECT (WITH RECURSIVE n(i) AS (SELECT "
           "0 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n); END";
    QTest::newRow("another column") << "ALTER TABLE kernel ADD COLUMN more";
    QTest::newRow("no index") << "DROP INDEX kernel_by_hash";
    QTest::newRow("no table") << "DROP TABLE measurement";
}

/// Whoever has changed the form of a database, nothing of it is carried out, or called a fault of
/// this program.
void ProfileTest::changedSchemas()
{
    QFETCH(QString, sql);
    QCOMPARE(profile(Action::Export, {file("all.jsonl")}, file("ours.db")).code, exitDone);
    {
        const auto database = sqlite::Connection::open(file("ours.db").string());
        QVERIFY(database);
        const auto changed = (*database)->execute(sql.toStdString());
        QVERIFY2(changed, changed ? "" : changed.error().text().c_str());
    }
    for (const Action action : {Action::Info, Action::Export, Action::Import}) {
        const Outcome outcome = profile(action, {file("all.jsonl")}, file("ours.db"));
        QCOMPARE(outcome.code, exitCodeOf(Error::Kind::Model));
        QVERIFY2(outcome.err.contains("ours.db") && outcome.err.contains("left unchanged"),
                 qPrintable(outcome.err));
    }
}

void ProfileTest::nothingReachesTheTerminalAsIs()
{
    {
        auto database = ProfileDatabase::open(file("ours.db"));
        QVERIFY(database.has_value());
        QVERIFY(database->record({"x", "y", "\x1b]0;owned\x07", {}},
                                 {10, 12, 30, Provenance::Host, 1, "1.0"}));
    }
    const Outcome outcome = profile(Action::Info, {}, file("ours.db"));
    QVERIFY2(outcome.out.contains("\\x1b]0;owned\\x07"), qPrintable(outcome.out));
    QVERIFY(!outcome.out.contains(QChar(0x1b)));
}

GRAPHLOOM_TESTS(ProfileTest)

} // namespace graphloom::test::profile_test

#include "profile_test.moc"
